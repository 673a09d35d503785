import { type Transaction, isMatch } from './facts.ts';
import { type World, conflict, inSessionOrder } from './world.ts';

/**
 * Tries all orders of begins and commits in which every read sees the last version committed before its transaction's
 * begin. The search replays a store along the order and needs no assignment of reads to writers.
 * Two prefixes with the same events and the same store have the same continuations, so failed prefixes are remembered
 * by events and store.
 */
export interface EventOrderLevel {
  /** Whether a session's commit precedes its next begin. */
  readonly sessions: boolean;
  /** Whether one of two writers of a key must commit before the other begins. */
  readonly exclusive: boolean;
  /**
   * `past`: begins and commits before a commit in real time precede it in the order. `latest`: commits before a begin
   * do, too.
   */
  readonly realTime?: 'past' | 'latest';
}

/** Returns begins (2t) and commits (2t + 1), in numbers of the history; null if there is no order. */
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

  /** Returns whether no other writer of a common key has begun without committing. */
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

/** A transaction has begun when its first answer arrives, and at the latest when it returns. */
export const latestBegin = ({ begun, end }: Transaction): bigint | null => begun ?? end;
/** A transaction commits after its COMMIT request or, if the time of the request is unknown, after its call. */
export const earliestCommit = ({ begin, committing }: Transaction): bigint | null => committing ?? begin;
