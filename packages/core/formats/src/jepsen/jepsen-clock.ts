import { type HistoryBuilder, TxnStatus } from '@isolab/history';
import type { EventNumber, JepsenEvent } from './jepsen-event.ts';

/**
 * The times of clients' events. They are nanoseconds if every event states its `:time` and these never decrease in the
 * order of the file, because only then do they agree with that order, in which the events happened. Otherwise they
 * count events: by `:index` under the same condition, or else from 0 in the order of the file.
 *
 * Two events may have equal times. Neither then precedes the other: a transaction that ends at the time at which
 * another begins does not precede it, even if its line comes first in the file.
 */
export class EventClock {
  readonly #time = new NumberColumn();
  readonly #index = new NumberColumn();
  readonly #number: number[] = []; // begin and end of each transaction, as in the other columns

  /** Records that the event with this number in the file invokes transaction `t`. */
  begin(t: number, event: JepsenEvent, number: number): void {
    this.#put(2 * t, event, number);
  }

  end(t: number, event: JepsenEvent, number: number): void {
    this.#put(2 * t + 1, event, number);
  }

  /** Gives the builder's transactions their times, without an end for those of unknown outcome. */
  tell(builder: HistoryBuilder): void {
    const stated = this.#time.numbers ?? this.#index.numbers;
    builder.timeUnit = this.#time.numbers ? 'nanoseconds' : 'events';
    for (let t = 0; t < builder.transactions; t++) {
      builder.time(t, 'begin', stated ? stated[2 * t] : BigInt(this.#number[2 * t]!));
      if (builder.statusOf(t) === TxnStatus.Unknown) continue;
      builder.time(t, 'end', stated ? stated[2 * t + 1] : BigInt(this.#number[2 * t + 1]!));
    }
  }

  #put(slot: number, { time, index }: JepsenEvent, number: number): void {
    this.#time.put(slot, time);
    this.#index.put(slot, index);
    this.#number[slot] = number;
  }
}

/** A column of 64-bit numbers, valid while all are stated and none is less than the number before it. */
class NumberColumn {
  /** Null once the column is invalid. */
  numbers: BigInt64Array | null = new BigInt64Array(INITIAL_CAPACITY);
  #halves = new Int32Array(this.numbers!.buffer); // lower half first
  #lastHi = MIN_INT32;
  #lastLo = 1; // excludes the least number, which represents a missing time

  put(slot: number, { isStated, hi, lo }: EventNumber): void {
    if (this.numbers === null) return;
    if (!isStated || hi < this.#lastHi || (hi === this.#lastHi && lo >>> 0 < this.#lastLo >>> 0)) {
      this.numbers = null;
      this.#halves = new Int32Array(0);
      return;
    }
    if (slot >= this.numbers.length) {
      const grown = new BigInt64Array(2 * slot);
      grown.set(this.numbers);
      this.numbers = grown;
      this.#halves = new Int32Array(grown.buffer);
    }
    this.#halves[2 * slot] = this.#lastLo = lo;
    this.#halves[2 * slot + 1] = this.#lastHi = hi;
  }
}

const INITIAL_CAPACITY = 1024;
const MIN_INT32 = -0x80000000;
