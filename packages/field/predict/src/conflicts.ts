/**
 * Known conflicts: transactions with certain operations and sources that violate the weaker level together, in any
 * execution. A conflict that was found for some changes saves judgements about larger sets of changes.
 */
import type { Execution } from './execution.ts';
import type { Model } from './model.ts';

interface Conflict {
  readonly transactions: readonly number[];
  /** Ends of the transactions' operations. */
  readonly ends: readonly number[];
}

export class Conflicts {
  readonly #model: Model;
  /** Conflicts by the changed reads of their transactions, with their sources. */
  readonly #bySources = new Map<string, Conflict[]>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** Adds transactions of an execution that violate the level in every execution in which they look the same. */
  add({ sources, end }: Execution, transactions: readonly number[]): void {
    const { txn } = this.#model;
    const own = [...sources].filter(([read]) => transactions.includes(txn[read]));
    const name = nameOf(own);
    const known = this.#bySources.get(name);
    const conflict = { transactions, ends: transactions.map((t) => end[t]) };
    if (known === undefined) this.#bySources.set(name, [conflict]);
    else if (known.length < MOST_WITH_SAME_SOURCES) known.push(conflict);
  }

  /** Returns the transactions of a known conflict; null if an execution has none. */
  in(execution: Execution): readonly number[] | null {
    const { txn } = this.#model;
    const changes = [...execution.sources];
    for (let bits = 0; bits < 1 << Math.min(changes.length, MOST_COMPARED); bits++) {
      const own = changes.filter((_, i) => ((bits >> i) & 1) === 1);
      const others = changes.filter(([read]) => !own.some(([each]) => each === read)).map(([read]) => txn[read]);
      for (const { transactions, ends } of this.#bySources.get(nameOf(own)) ?? []) {
        const isSame = transactions.every(
          (t, i) => execution.takesPart[t] === 1 && execution.end[t] === ends[i] && !others.includes(t),
        );
        if (isSame) return transactions;
      }
    }
    return null;
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
