import type { LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import { type Transaction, isMatch, readFacts } from './facts/facts.ts';
import { type World, conflict, inRealTime, inSessionOrder, worlds, writeTo } from './facts/world.ts';

/**
 * An independent decision by abstract executions (Cerone, Bernardi and Gotsman, CONCUR 2015). Transactions are added to
 * an arbitration order one by one, each with the set of earlier transactions that it sees. A read returns the last
 * write of its key in this set. The writers of reads are not given, and the axioms of docs/levels.md are not used.
 */
export interface VisibilityLevel {
  /** Whether a transaction sees its predecessors in its session. */
  readonly sessions: boolean;
  /** Whether transactions that returned before a call precede it in the arbitration order. */
  readonly realTime?: boolean;
  /** Possible visible sets: any set; a set closed under visibility; a prefix of the order; all earlier transactions. */
  readonly sees: 'any' | 'causes' | 'prefix' | 'everything';
  /** Whether one of two writers of a key sees the other. */
  readonly exclusive?: boolean;
}

/** The levels with such a definition. Lists are supported only where a prefix of the order is visible. */
export const VISIBILITY = {
  'read-atomic': { sessions: true, sees: 'any' },
  causal: { sessions: true, sees: 'causes' },
  prefix: { sessions: true, sees: 'prefix' },
  'adya-snapshot-isolation': { sessions: false, sees: 'prefix', exclusive: true },
  'snapshot-isolation': { sessions: true, sees: 'prefix', exclusive: true },
  'plain-serializable': { sessions: false, sees: 'everything' },
  serializable: { sessions: true, sees: 'everything' },
  'strict-serializable': { sessions: true, realTime: true, sees: 'everything' },
} as const satisfies Partial<Record<LevelName, VisibilityLevel>>;

/** Returns whether a tiny history satisfies a level for some outcomes and results; null for unsupported levels. */
export function decideByVisibility(history: History, level: LevelName): boolean | null {
  const definition = (VISIBILITY as Partial<Record<LevelName, VisibilityLevel>>)[level];
  if (definition === undefined) return null;
  const facts = readFacts(history);
  const hasLists = facts.attempts.some(({ ways }) =>
    ways.some(
      ({ reads, writes }) =>
        reads.some(({ seen }) => Array.isArray(seen)) || writes.some(({ value }) => Array.isArray(value)),
    ),
  );
  if (hasLists && definition.sees !== 'prefix' && definition.sees !== 'everything') return null;
  for (const world of worlds(facts))
    if (!world.transactions.some(({ blind }) => blind) && new Execution(world, definition).canPlace([], []))
      return true;
  return false;
}

/** Transactions have the numbers of the world, and sets of transactions are bits. */
class Execution {
  readonly #world: World;
  readonly #level: VisibilityLevel;

  constructor(world: World, level: VisibilityLevel) {
    this.#world = world;
    this.#level = level;
  }

  /**
   * Returns whether the remaining transactions can follow this order, given the set that each placed transaction sees.
   */
  canPlace(order: readonly number[], seen: readonly number[]): boolean {
    const { transactions } = this.#world;
    if (order.length === transactions.length) return true;
    return transactions.some((transaction, t) => {
      if (order.includes(t) || this.#comesTooEarly(transaction, order)) return false;
      for (const set of this.#visibleSets(transaction, order, seen))
        if (this.#showsWhatItRead(transaction, order, set) && this.canPlace([...order, t], [...seen, set])) return true;
      return false;
    });
  }

  #comesTooEarly(transaction: Transaction, order: readonly number[]): boolean {
    const { sessions, realTime } = this.#level;
    return this.#world.transactions.some(
      (other, s) =>
        !order.includes(s) &&
        ((sessions && inSessionOrder(other, transaction)) || (realTime === true && inRealTime(other, transaction))),
    );
  }

  *#visibleSets(transaction: Transaction, order: readonly number[], seen: readonly number[]): Generator<number> {
    const { sessions, sees, exclusive } = this.#level;
    const { transactions } = this.#world;
    const everything = order.reduce((set, s) => set | (1 << s), 0);
    const needed = order.filter(
      (s) =>
        (sessions && inSessionOrder(transactions[s]!, transaction)) ||
        (exclusive === true && conflict(transactions[s]!, transaction)),
    );
    const must = needed.reduce((set, s) => set | (1 << s), 0);
    if (sees === 'everything') yield everything;
    else if (sees === 'prefix') {
      for (let set = 0, i = 0; ; set |= 1 << order[i++]!) {
        if ((set & must) === must) yield set;
        if (i === order.length) return;
      }
    } else {
      for (let set = 0; set <= everything; set++) {
        if ((set & ~everything) !== 0 || (set & must) !== must) continue;
        const isClosed = order.every((s, i) => (set & (1 << s)) === 0 || (seen[i]! & ~set) === 0);
        if (sees === 'any' || isClosed) yield set;
      }
    }
  }

  #showsWhatItRead({ reads }: Transaction, order: readonly number[], set: number): boolean {
    const { transactions, initial } = this.#world;
    return reads.every(({ key, seen }) => {
      const writes = order.filter((s) => set & (1 << s)).flatMap((s) => writeTo(transactions[s]!, key)?.value ?? []);
      const last = writes.at(-1) ?? initial[key];
      if (isMatch(seen)) return seen.accepts(last);
      return typeof seen === 'number' ? seen === last : seen.join() === writes.join();
    });
  }
}
