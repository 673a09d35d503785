import { type Transaction, isMatch } from './facts.ts';
import { type World, conflict, inSessionOrder } from './world.ts';

/**
 * Tries all orders of begins and commits in which every read sees the version that was committed last before its
 * transaction's begin: a store is replayed along the order, which asks for no assignment of reads to writers.
 *
 * Two prefixes of an order with the same events and the same store have the same future, so a prefix that failed is
 * remembered by those.
 */
export interface EventOrderLevel {
  /** A session's commit before its next begin. */
  readonly sessions: boolean;
  /** Whether of two writers of a key one must commit before the other begins. */
  readonly exclusive: boolean;
  /** `past`: begins and commits before a commit in real time precede it in the order. `latest`: and commits before begins. */
  readonly realTime?: 'past' | 'latest';
}

/** Begins (2t) and commits (2t + 1), by numbers of the history; or null. */
export function findEventOrder(world: World, level: EventOrderLevel): number[] | null {
  const search = new Search(world, level);
  return search.run() ? search.events.map((e) => 2 * world.transactions[e >> 1]!.id + (e & 1)) : null;
}

type Store = ReadonlyMap<number, number | readonly number[]>;

class Search {
  readonly #transactions: readonly Transaction[];
  readonly #initial: Int32Array;
  readonly #exclusive: boolean;
  readonly #before: readonly (readonly number[])[];
  readonly #failed = new Set<string>();
  readonly events: number[] = [];

  constructor({ transactions, initial }: World, level: EventOrderLevel) {
    this.#transactions = transactions;
    this.#initial = initial;
    this.#exclusive = level.exclusive;
    const events = transactions.flatMap((_, t) => [2 * t, 2 * t + 1]);
    this.#before = events.map((to) => events.filter((from) => mustPrecede(transactions, from, to, level)));
  }

  run(store: Store = new Map()): boolean {
    if (this.events.length === this.#before.length) return true;
    const state = `${this.events.toSorted((a, b) => a - b).join()};${[...store].toSorted(([a], [b]) => a - b).join(';')}`;
    if (this.#failed.has(state)) return false;
    const found = this.#before.some((before, event) => {
      if (this.events.includes(event) || !before.every((other) => this.events.includes(other))) return false;
      if (!(event & 1 ? this.#mayCommit(event) : this.#seesStore(this.#transactions[event >> 1]!, store))) return false;
      this.events.push(event);
      if (this.run(event & 1 ? commit(this.#transactions[event >> 1]!, store) : store)) return true;
      this.events.pop();
      return false;
    });
    if (!found) this.#failed.add(state);
    return found;
  }

  #seesStore({ reads }: Transaction, store: Store): boolean {
    return reads.every(({ key, seen }) => {
      if (isMatch(seen)) return seen.accepts((store.get(key) as number | undefined) ?? this.#initial[key]);
      return typeof seen === 'number'
        ? seen === (store.get(key) ?? this.#initial[key])
        : seen.join() === String(store.get(key) ?? '');
    });
  }

  /** Returns whether no writer of a common key has begun and not committed. */
  #mayCommit(event: number): boolean {
    if (!this.#exclusive) return true;
    const t = this.#transactions[event >> 1]!;
    return !this.events.some(
      (begin) =>
        !(begin & 1) &&
        begin !== event - 1 &&
        !this.events.includes(begin + 1) &&
        conflict(t, this.#transactions[begin >> 1]!),
    );
  }
}

function commit({ writes }: Transaction, store: Store): Store {
  const next = new Map(store);
  for (const { key, value } of writes) {
    next.set(key, typeof value === 'number' ? value : [...((store.get(key) as number[] | undefined) ?? []), ...value]);
  }
  return next;
}

function mustPrecede(transactions: readonly Transaction[], from: number, to: number, level: EventOrderLevel): boolean {
  const [a, b] = [transactions[from >> 1]!, transactions[to >> 1]!];
  const [fromCommit, toCommit] = [(from & 1) === 1, (to & 1) === 1];
  if (a === b) return !fromCommit && toCommit;
  if (level.sessions && inSessionOrder(a, b) && fromCommit && !toCommit) return true;
  if (level.realTime === undefined) return false;
  if (!toCommit && !(level.realTime === 'latest' && fromCommit)) return false;
  const [latest, earliest] = [fromCommit ? a.end : latestBegin(a), toCommit ? earliestCommit(b) : b.begin];
  return latest !== null && earliest !== null && latest < earliest;
}

/** A transaction has begun when its first answer comes, at the latest when it returns. */
export const latestBegin = ({ begun, end }: Transaction): bigint | null => begun ?? end;
/** A transaction commits after it asked to, or if the time of that is not known, after its call. */
export const earliestCommit = ({ begin, committing }: Transaction): bigint | null => committing ?? begin;
