import { type ExternalRead, type Transaction, isMatch, itemOf } from './facts/facts.ts';
import { type World, conflict, inRealTime, inSessionOrder, writeTo } from './facts/world.ts';

/**
 * Tries all commit orders and, for every external read, all possible sources. Partial orders that break the definition
 * are abandoned. A commit order is a permutation of the transactions that contains read-from and the further edges of
 * the level. The axiom of a level has the form: for every t₁ WR(x) t₃ and every other t₂ that writes x, if a condition
 * holds, then t₂ comes before t₁. All conditions imply that t₂ comes before t₃, so an instance can be decided as soon
 * as t₃ is placed.
 */
export interface CommitOrderLevel {
  readonly sessions: boolean;
  readonly realTime?: boolean;
  /** Whether repeated reads of a key must see the same version of the same transaction. */
  readonly repeatable: boolean;
  readonly condition: Condition;
  /**
   * Whether the condition depends on reads of transactions before t3. If not, one choice of sources for these reads
   * suffices.
   */
  readonly past?: boolean;
}

/**
 * Whether transaction t2 must come before the version of read number `read` of t3. Both are placed, with t2 before t3.
 */
export type Condition = (partial: PartialOrder, t2: number, t3: number, read: number) => boolean;

/** Prefix of a commit order, with the source of each read. Transactions have the numbers of the world. */
export interface PartialOrder {
  readonly transactions: readonly Transaction[];
  readonly order: readonly number[];
  /** Position of each transaction, or UNPLACED. */
  readonly position: readonly number[];
  /** Writer that each external read of each transaction saw, or INITIAL. */
  readonly source: readonly (readonly number[])[];
}

const INITIAL = -1;
const UNPLACED = -2;

/** Returns a commit order that satisfies the level's axiom, in numbers of the history; null if there is none. */
export function findCommitOrder(world: World, level: CommitOrderLevel): number[] | null {
  const search = new Search(world, level);
  return search.run() ? search.order.map((t) => world.transactions[t]!.id) : null;
}

class Search implements PartialOrder {
  readonly transactions: readonly Transaction[];
  readonly order: number[] = [];
  readonly position: number[];
  readonly source: number[][];
  readonly #world: World;
  readonly #level: CommitOrderLevel;
  /** For each transaction, the transactions that must precede it for any sources of its reads. */
  readonly #before: readonly (readonly number[])[];
  /** For each external read of each transaction, the possible writers without regard to other reads. */
  readonly #writers: readonly (readonly (readonly number[])[])[];

  constructor(world: World, level: CommitOrderLevel) {
    const { transactions } = world;
    this.transactions = transactions;
    this.#world = world;
    this.#level = level;
    this.position = transactions.map(() => UNPLACED);
    this.source = transactions.map(() => []);
    this.#before = transactions.map((t) =>
      transactions.flatMap((s, i) =>
        (level.sessions && inSessionOrder(s, t)) || (level.realTime && inRealTime(s, t)) ? [i] : [],
      ),
    );
    this.#writers = transactions.map(({ reads }, t) =>
      reads.map((read) => [INITIAL, ...transactions.keys()].filter((t1) => t1 !== t && this.#mayShow(t1, read))),
    );
  }

  run(): boolean {
    return this.#writers.every((reads) => reads.every((writers) => writers.length > 0)) && this.#placeNext();
  }

  #placeNext(): boolean {
    if (this.order.length === this.transactions.length) return true;
    return this.transactions.some((_, t) => {
      if (this.position[t] !== UNPLACED || this.#before[t]!.some((s) => this.position[s] === UNPLACED)) return false;
      this.position[t] = this.order.length;
      this.order.push(t);
      const isExtended = this.#level.past
        ? this.#chooseSources(t, 0, () => this.#placeNext())
        : this.#chooseSources(t, 0, () => true) && this.#placeNext();
      if (isExtended) return true;
      this.source[t] = [];
      this.order.pop();
      this.position[t] = UNPLACED;
      return false;
    });
  }

  /** Tries all sources for the reads of t from this read on, until the search succeeds. */
  #chooseSources(t: number, read: number, proceed: () => boolean): boolean {
    const { reads } = this.transactions[t]!;
    if (read === reads.length) return proceed();
    const source = this.source[t]!;
    const again = this.#level.repeatable ? reads.findIndex(({ key }) => key === reads[read]!.key) : read;
    const writers = this.#writers[t]![read]!;
    const candidates = again < read ? writers.filter((t1) => t1 === source[again]) : writers;
    return candidates.some((t1) => {
      if (this.position[t1] === UNPLACED || !this.#shows(t1, this.transactions[t]!.reads[read]!)) return false;
      source[read] = t1;
      if (this.#axiomHolds(t) && this.#chooseSources(t, read + 1, proceed)) return true;
      source.length = read;
      return false;
    });
  }

  /** Returns whether t1 may have left the version that a read saw, as far as the order does not matter. */
  #mayShow(t1: number, { key, seen }: ExternalRead): boolean {
    const left = t1 === INITIAL ? this.#world.initial[key] : writeTo(this.transactions[t1]!, key)?.value;
    if (isMatch(seen)) return left !== undefined && seen.accepts(left as number);
    if (typeof seen === 'number') return left === seen;
    return t1 === INITIAL ? seen.length === 0 : left !== undefined && (left as number[]).at(-1) === seen.at(-1);
  }

  /** Returns whether a list that was read equals the list after t1: all appends up to t1 in the commit order. */
  #shows(t1: number, { key, seen }: ExternalRead): boolean {
    if (t1 === INITIAL || isMatch(seen) || typeof seen === 'number') return true;
    const upTo = this.order.slice(0, this.position[t1]! + 1);
    return upTo.flatMap((s) => writeTo(this.transactions[s]!, key)?.value ?? []).join() === seen.join();
  }

  /** Checks the reads with chosen sources, which later choices do not change. */
  #axiomHolds(t3: number): boolean {
    return this.source[t3]!.every((t1, read) => {
      const { key } = this.transactions[t3]!.reads[read]!;
      return this.order.every(
        (t2) =>
          t2 === t1 ||
          t2 === t3 ||
          this.position[t2]! < (t1 === INITIAL ? INITIAL : this.position[t1]!) ||
          !writeTo(this.transactions[t2]!, key) ||
          !this.#level.condition(this, t2, t3, read),
      );
    });
  }
}

/** Returns whether t3 reads another key from t2 before this read. */
export const readsBefore =
  ({ otherKey }: { readonly otherKey: boolean }): Condition =>
  ({ transactions, source }, t2, t3, read) => {
    const { reads } = transactions[t3]!;
    return reads.some(
      (before, earlier) =>
        before.statement < reads[read]!.statement &&
        source[t3]![earlier] === t2 &&
        !(otherKey && itemOf(before) === itemOf(reads[read]!)),
    );
  };

/** Returns whether t SO t3 or t WR t3. */
export const directlyBefore = ({ transactions, source }: PartialOrder, t: number, t3: number): boolean =>
  inSessionOrder(transactions[t]!, transactions[t3]!) || source[t3]!.includes(t);

const reads = ({ source }: PartialOrder, t: number, t3: number): boolean => source[t3]!.includes(t);

/** Returns whether t2 (SO ∪ WR)⁺ t3. */
export const causallyBefore: Condition = (partial, t2, t3) => {
  const past = [t3];
  for (const t of past) {
    for (const s of partial.order) if (!past.includes(s) && directlyBefore(partial, s, t)) past.push(s);
  }
  return past.includes(t2);
};

/** Returns whether t2 co* t4 and t4 (SO ∪ WR) t3, for some t4. */
export const inPrefix =
  ({ sessions }: { readonly sessions: boolean }): Condition =>
  (partial, t2, t3) =>
    partial.order.some(
      (t4) => partial.position[t2]! <= partial.position[t4]! && (sessions ? directlyBefore : reads)(partial, t4, t3),
    );

/** Returns whether t2 co* t4 co t3, for some t4 that writes a key that t3 writes too. */
export const beforeConflict: Condition = ({ transactions, order, position }, t2, t3) =>
  order.some((t4) => t4 !== t3 && position[t2]! <= position[t4]! && conflict(transactions[t4]!, transactions[t3]!));

export const either =
  (...conditions: readonly Condition[]): Condition =>
  (...instance) =>
    conditions.some((condition) => condition(...instance));
