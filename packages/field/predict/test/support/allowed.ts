/**
 * Decides by all orders of commits whether levels of single transactions and locks of single reads allow an execution.
 * The conditions are those of docs/levels.md and of a lock that is held until the end of its transaction, written down
 * without code of the search.
 */
import { type History, toPlain } from '@isolab/history';

interface Read {
  readonly key: string;
  /** Transaction whose version the read saw, −1 for the initial version. */
  readonly writer: number;
  readonly locks: boolean;
  /** States that another key was read before, by the transaction whose version it was. */
  readonly before: readonly { readonly key: string; readonly writer: number }[];
}

interface Txn {
  readonly session: number;
  readonly level: string | null;
  readonly reads: readonly Read[];
  readonly writes: ReadonlySet<string>;
}

export interface Promised {
  /** Level of each transaction beside the weaker level, by its name; null for none. */
  readonly levelOf: (name: string) => string | null;
  readonly locks: (name: string, key: string) => boolean;
  /** States that serializable transactions track only one another. */
  readonly isTracked: boolean;
}

export function isAllowed(history: History, weaker: string, promised: Promised): boolean {
  const txns = txnsOf(history, promised);
  return permutations([...txns.keys()]).some((order) => {
    const at = new Map(order.map((t, i) => [t, i]));
    return new Order(txns, (t) => (t < 0 ? -1 : at.get(t)!)).allows(weaker, promised.isTracked);
  });
}

class Order {
  readonly #txns: readonly Txn[];
  readonly #at: (t: number) => number;

  constructor(txns: readonly Txn[], at: (t: number) => number) {
    this.#txns = txns;
    this.#at = at;
  }

  allows(weaker: string, isTracked: boolean): boolean {
    const all = [...this.#txns.keys()];
    const keepsOrder = all.every((t) => all.every((u) => !this.#precedes(t, u) || this.#at(t) < this.#at(u)));
    if (!keepsOrder) return false;
    const keeps = all.every((t) => this.#keeps(t, weaker, false) && this.#keeps(t, this.#txns[t]!.level, isTracked));
    return keeps && !(isTracked && this.#hasDanger());
  }

  /** Session order, or a read. */
  #precedes(t: number, u: number): boolean {
    if (t < 0) return true;
    const { session, reads } = this.#txns[u]!;
    return (t < u && this.#txns[t]!.session === session) || reads.some(({ writer }) => writer === t);
  }

  #keeps(t3: number, level: string | null, isTracked: boolean): boolean {
    return this.#txns[t3]!.reads.every((read) =>
      [...this.#txns.keys()].every((t2) => {
        if (t2 === t3 || t2 === read.writer || !this.#txns[t2]!.writes.has(read.key)) return true;
        if (this.#at(t2) < this.#at(read.writer)) return true;
        if (read.locks && this.#at(t2) < this.#at(t3)) return false;
        return (
          level === null ||
          !this.#sees(t2, t3, read, isTracked && level === 'serializable' ? 'snapshot-isolation' : level)
        );
      }),
    );
  }

  /** Returns whether a level requires that a transaction sees another one. */
  #sees(t2: number, t3: number, { key, before }: Read, level: string): boolean {
    switch (level) {
      case 'read-committed':
        return before.some((other) => other.key !== key && other.writer === t2);
      case 'read-atomic':
        return this.#precedes(t2, t3);
      case 'causal':
        return this.#isBehind(t2, t3);
      case 'prefix':
        return this.#isInPrefix(t2, t3, () => false);
      case 'snapshot-isolation':
        return this.#isInPrefix(t2, t3, (t4) => [...this.#txns[t4]!.writes].some((k) => this.#txns[t3]!.writes.has(k)));
      case 'serializable':
        return this.#at(t2) < this.#at(t3);
    }
    throw new Error(level);
  }

  #isBehind(t: number, u: number): boolean {
    const middle = [...this.#txns.keys()].filter((m) => this.#precedes(m, u));
    return middle.some((m) => m === t || this.#isBehind(t, m));
  }

  #isInPrefix(t2: number, t3: number, conflicts: (t: number) => boolean): boolean {
    return [...this.#txns.keys()].some(
      (t4) =>
        t4 !== t3 &&
        this.#at(t2) <= this.#at(t4) &&
        (this.#precedes(t4, t3) || (this.#at(t4) < this.#at(t3) && conflicts(t4))),
    );
  }

  /** Returns whether the first transaction misses a write of the second one. */
  #misses(t: number, u: number): boolean {
    return (
      t !== u &&
      this.#txns[t]!.reads.some(
        ({ key, writer }) => writer !== u && this.#txns[u]!.writes.has(key) && this.#at(writer) < this.#at(u),
      )
    );
  }

  #hasDanger(): boolean {
    const tracked = [...this.#txns.keys()].filter((t) => this.#txns[t]!.level === 'serializable');
    return tracked.some((t1) =>
      tracked.some(
        (t2) =>
          this.#misses(t1, t2) &&
          tracked.some((t3) => {
            if (!this.#misses(t2, t3)) return false;
            if (t1 === t3) return true;
            if (this.#at(t3) > this.#at(t2)) return false;
            return this.#txns[t1]!.writes.size > 0
              ? this.#at(t3) < this.#at(t1)
              : this.#isInPrefix(t3, t1, () => false);
          }),
      ),
    );
  }
}

function txnsOf(history: History, { levelOf, locks }: Promised): Txn[] {
  const plain = toPlain(history).sessions.flatMap(({ transactions }, session) =>
    transactions.map(({ name, operations }) => ({ name: String(name), session, operations })),
  );
  const writers = new Map<unknown, number>();
  plain.forEach(({ operations }, t) => {
    for (const each of operations) if (each.kind === 'write') writers.set(each.value, t);
  });
  return plain.map(({ name, session, operations }) => {
    const writes = new Set<string>();
    const reads: Read[] = [];
    for (const each of operations) {
      if (each.kind !== 'read' && each.kind !== 'write') throw new Error(each.kind);
      const key = String(each.key);
      if (each.kind === 'write') writes.add(key);
      else if (!writes.has(key)) {
        const writer = writers.get(each.value) ?? -1;
        reads.push({ key, writer, locks: locks(name, key), before: reads.map((other) => ({ ...other })) });
      }
    }
    return { session, level: levelOf(name), reads, writes };
  });
}

function permutations(all: readonly number[]): number[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((first) => permutations(all.filter((each) => each !== first)).map((rest) => [first, ...rest]));
}
