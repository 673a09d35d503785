import type { LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import { type Transaction, isMatch, readFacts } from './facts/facts.ts';
import { type World, conflict, inRealTime, inSessionOrder, worlds, writeTo } from './facts/world.ts';

/**
 * A second opinion, from abstract executions (Cerone, Bernardi and Gotsman, CONCUR 2015): transactions are put into an
 * arbitration order one by one, each with the set of earlier ones that it sees, and a read shows the last write of its
 * key in that set. The writer of a read is not given, and no axiom of docs/levels.md is examined.
 */
export interface VisibilityLevel {
  /** Whether a transaction sees those before it in its session. */
  readonly sessions: boolean;
  /** Whether transactions that returned before a call are arbitrated before it. */
  readonly realTime?: boolean;
  /** Sets that can be seen: any; with the visible transactions of its members; a beginning of the order; all of it. */
  readonly sees: 'any' | 'causes' | 'prefix' | 'everything';
  /** Whether of two writers of a key one sees the other. */
  readonly exclusive?: boolean;
}

/** The levels that have such a definition; for lists only where a beginning of the order is seen. */
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

/** Returns whether a tiny history satisfies a level for some outcomes and results; null for other levels. */
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

/** Transactions are numbers of the world, and sets of them are bits. */
class Execution {
  readonly #world: World;
  readonly #level: VisibilityLevel;

  constructor(world: World, level: VisibilityLevel) {
    this.#world = world;
    this.#level = level;
  }

  /** Returns whether the unplaced transactions can follow this order, with the set that each transaction sees. */
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
