/**
 * Known conflicts: transactions with certain operations and sources that violate the weaker level together, in any
 * execution. A conflict that was found for some changes saves judgements about larger sets of changes.
 */
import type { Execution } from './execution.ts';
import type { Model } from './model.ts';

export interface Conflict {
  readonly transactions: readonly number[];
  /** Reads whose sources matter; null if all reads of the transactions may matter. */
  readonly reads: ReadonlySet<number> | null;
}

interface Known extends Conflict {
  /** Ends of the transactions' operations. */
  readonly ends: readonly number[];
}

export class Conflicts {
  readonly #model: Model;
  /** Conflicts by their changed reads, with their sources. */
  readonly #bySources = new Map<string, Known[]>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** Adds transactions of an execution that violate the level in every execution in which they look the same. */
  add({ sources, end }: Execution, conflict: Conflict): void {
    const name = nameOf([...sources].filter(([read]) => this.#hasRead(conflict, read)));
    const known = this.#bySources.get(name);
    const added = { ...conflict, ends: conflict.transactions.map((t) => end[t]!) };
    if (known === undefined) this.#bySources.set(name, [added]);
    else if (known.length < MOST_WITH_SAME_SOURCES) known.push(added);
  }

  /** Returns a known conflict; null if an execution has none. */
  in(execution: Execution): Conflict | null {
    const changes = [...execution.sources];
    for (let bits = 0; bits < 1 << Math.min(changes.length, MOST_COMPARED); bits++) {
      const own = changes.filter((_, i) => ((bits >> i) & 1) === 1);
      for (const known of this.#bySources.get(nameOf(own)) ?? []) {
        const isSame =
          known.transactions.every((t, i) => execution.takesPart[t] === 1 && execution.end[t] === known.ends[i]) &&
          changes.every((change) => own.includes(change) || !this.#hasRead(known, change[0]));
        if (isSame) return known;
      }
    }
    return null;
  }

  #hasRead({ transactions, reads }: Conflict, read: number): boolean {
    return reads === null ? transactions.includes(this.#model.txn[read]) : reads.has(read);
  }
}

const nameOf = (sources: readonly (readonly [read: number, source: number])[]): string =>
  sources
    .map(([read, source]) => `${read}<${source}`)
    .toSorted()
    .join();

const MOST_WITH_SAME_SOURCES = 100;
/** Largest number of changes that are compared; further ones are not. */
const MOST_COMPARED = 6;
