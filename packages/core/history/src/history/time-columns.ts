import { grownTimes } from '../columns/columns.ts';
import type { History } from './history.ts';
import { NO_TIME } from '../columns/operation.ts';
import { type ReversedTimes, Times, findReversedTimes, later } from './times.ts';

export type TimeColumn = (typeof TIME_COLUMNS)[number];
const TIME_COLUMNS = ['begin', 'begun', 'committing', 'end', 'startTs', 'commitTs'] as const;

type Arranged = Pick<History, 'txnBegin' | 'txnBegun' | 'txnCommitting' | 'txnEnd' | 'txnStartTs' | 'txnCommitTs'>;

export type TimePart = Partial<Record<TimeColumn, BigInt64Array>>;

/** Times of transactions in file order. Columns are created when a time is first set. */
export class TimeColumns {
  readonly #columns: Partial<Record<TimeColumn, BigInt64Array>> = {};
  readonly #compared: Partial<Record<TimeColumn, Times>> = {};

  set(t: number, column: TimeColumn, time: bigint, capacity: number): void {
    const times = this.#columns[column] ?? this.#keep(column, new BigInt64Array(capacity).fill(NO_TIME));
    times[t] = time;
  }

  #keep(column: TimeColumn, times: BigInt64Array): BigInt64Array {
    this.#compared[column] = new Times(times);
    return (this.#columns[column] = times);
  }

  /** Returns the first pair of a transaction's times that are in the wrong order, or null. */
  reversed(t: number): ReversedTimes | null {
    return findReversedTimes(this.#compared, t);
  }

  grow(capacity: number): void {
    for (const column of TIME_COLUMNS) {
      const old = this.#columns[column];
      if (old) this.#keep(column, grownTimes(old, capacity));
    }
  }

  part(count: number): TimePart {
    const entries = Object.entries(this.#columns).map(([name, times]) => [name, times.subarray(0, count)]);
    return Object.fromEntries(entries) as TimePart;
  }

  /** Adds the times of another part, whose first transaction has the number `first` here. */
  append(part: TimePart, first: number, capacity: number): void {
    for (const column of TIME_COLUMNS) {
      const added = part[column];
      if (added === undefined) continue;
      (this.#columns[column] ?? this.#keep(column, new BigInt64Array(capacity).fill(NO_TIME))).set(added, first);
    }
  }

  /** Arranges the columns in the order of a history, and adds the drift of the clocks to upper bounds. */
  arranged(arrange: (times: BigInt64Array) => BigInt64Array, drift: bigint): Arranged {
    const column = (name: TimeColumn): BigInt64Array | null => {
      const times = this.#columns[name];
      return times === undefined ? null : arrange(times);
    };
    const upper = (name: 'begun' | 'end'): BigInt64Array | null => {
      const times = column(name);
      return times && later(times, drift);
    };
    return {
      txnBegin: column('begin'),
      txnBegun: upper('begun'),
      txnCommitting: column('committing'),
      txnEnd: upper('end'),
      txnStartTs: column('startTs'),
      txnCommitTs: column('commitTs'),
    };
  }
}
