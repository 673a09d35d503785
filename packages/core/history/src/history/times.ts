import type { History } from './history.ts';
import { NO_TIME, TxnStatus } from '../columns/operation.ts';
import type { TransactionId } from '../columns/ids.ts';

/** A column of 64-bit times, compared by halves because BigInts are slow objects in JavaScript. */
export class Times {
  readonly halves: Int32Array;

  constructor(times: BigInt64Array) {
    this.halves = new Int32Array(times.buffer, times.byteOffset, 2 * times.length);
  }

  /** Returns whether entry i is a time rather than NO_TIME. */
  isKnown(i: number): boolean {
    return this.halves[2 * i + HIGH] !== -0x80000000 || this.halves[2 * i + LOW] !== 0;
  }

  /** Returns whether entry i is less than entry j of another column. */
  isBefore(i: number, other: Times, j: number): boolean {
    const a = this.halves;
    const b = other.halves;
    const high = a[2 * i + HIGH];
    const otherHigh = b[2 * j + HIGH];
    return high !== otherHigh ? high < otherHigh : a[2 * i + LOW] >>> 0 < b[2 * j + LOW] >>> 0;
  }
}

/** Removes real times, which most published logs lack. */
export const withoutTimes = (history: History): History => ({
  ...history,
  source: { ...history.source, timeUnit: 'none', drift: 0 },
  txnBegin: null,
  txnBegun: null,
  txnCommitting: null,
  txnEnd: null,
});

/** Restores the times stated by the source: upper bounds without the drift of the clocks. */
export function asStated(history: History): History {
  const { drift } = history.source;
  if (drift === 0) return history;
  const { txnBegun, txnEnd } = history;
  return {
    ...history,
    txnBegun: txnBegun && later(txnBegun, BigInt(-drift)),
    txnEnd: txnEnd && later(txnEnd, BigInt(-drift)),
  };
}

/** Shifts times by an amount, up to the largest 64-bit time. */
export const later = (times: BigInt64Array, by: bigint): BigInt64Array =>
  by === 0n ? times : times.map((time) => (time === NO_TIME ? NO_TIME : time > LAST_TIME - by ? LAST_TIME : time + by));

const LAST_TIME = 2n ** 63n - 1n;

/**
 * Bounds of events in real time, or NO_TIME. An event certainly precedes another event if its latest time is before the
 * earliest time of the other.
 */
export class TimeBounds {
  readonly #history: History;

  constructor(history: History) {
    this.#history = history;
  }

  /**
   * Returns whether the time of the answer to COMMIT is known. A transaction of unknown outcome may take effect at any
   * time.
   */
  hasReturned(t: TransactionId): boolean {
    const { txnStatus, txnEnd } = this.#history;
    return txnEnd !== null && txnStatus[t] === TxnStatus.Committed && txnEnd[t] !== NO_TIME;
  }

  earliestBegin(t: TransactionId): bigint {
    return this.#history.txnBegin?.[t] ?? NO_TIME;
  }

  /** If the first answer has no time, the transaction began before it ended. */
  latestBegin(t: TransactionId): bigint {
    const begun = this.#history.txnBegun?.[t] ?? NO_TIME;
    return begun === NO_TIME ? this.latestCommit(t) : begun;
  }

  /** If the request for COMMIT has no time, the transaction committed after its first request. */
  earliestCommit(t: TransactionId): bigint {
    const committing = this.#history.txnCommitting?.[t] ?? NO_TIME;
    return committing === NO_TIME ? this.earliestBegin(t) : committing;
  }

  latestCommit(t: TransactionId): bigint {
    return this.hasReturned(t) ? this.#history.txnEnd![t] : NO_TIME;
  }
}

/** Finds the first transaction whose return is before its call, or −1. Such times imply nothing. */
export function findReversed({ txnStatus, txnBegin, txnEnd }: History): TransactionId {
  if (txnBegin === null || txnEnd === null) return -1 as TransactionId;
  const begins = new Times(txnBegin);
  const ends = new Times(txnEnd);
  return txnStatus.findIndex(
    (status, t) => status === TxnStatus.Committed && ends.isKnown(t) && ends.isBefore(t, begins, t),
  ) as TransactionId;
}

/** Prints times in the notation, such as ` @3-7` or ` @3..4-6..7`; empty for a transaction without times. */
export function printTimes({ txnBegin, txnBegun, txnCommitting, txnEnd }: History, t: TransactionId): string {
  const [begin, begun, committing, end] = [txnBegin, txnBegun, txnCommitting, txnEnd].map((column) =>
    column === null || column[t] === NO_TIME ? '' : String(column[t]),
  );
  const first = begun === '' ? begin : `${begin}..${begun}`;
  const last = committing === '' ? end : `${committing}..${end}`;
  return first === '' && last === '' ? '' : ` @${first}-${last}`;
}

/** Two times of a transaction; the first must not exceed the second. */
export type ReversedTimes = readonly [first: TransactionTime, second: TransactionTime];
export type TransactionTime = 'begin' | 'begun' | 'committing' | 'end';

/** Finds the first pair of times in the wrong order. A request for COMMIT may precede the first answer. */
export function findReversedTimes(
  columns: { readonly [time in TransactionTime]?: Times | undefined },
  t: number,
): ReversedTimes | null {
  for (const pair of TIMES_IN_ORDER) {
    const first = columns[pair[0]];
    const second = columns[pair[1]];
    if (first === undefined || second === undefined || !first.isKnown(t) || !second.isKnown(t)) continue;
    if (second.isBefore(t, first, t)) return pair;
  }
  return null;
}

const TIMES_IN_ORDER: readonly ReversedTimes[] = [
  ['begin', 'end'],
  ['begin', 'begun'],
  ['begin', 'committing'],
  ['begun', 'end'],
  ['committing', 'end'],
];

/** Sorts entries by time with a stable radix sort, in linear time. */
export function sortByTime(entries: Int32Array, { halves }: Times): Int32Array {
  const size = entries.length;
  let from = { entry: entries.slice(), low: new Int32Array(size), high: new Int32Array(size) };
  let to = { entry: new Int32Array(size), low: new Int32Array(size), high: new Int32Array(size) };
  const varies = { low: 0, high: 0 }; // bits in which times differ
  for (let i = 0; i < size; i++) {
    from.low[i] = halves[2 * entries[i] + LOW];
    from.high[i] = halves[2 * entries[i] + HIGH] ^ SIGN; // sorts negative numbers first
    varies.low |= from.low[i] ^ from.low[0];
    varies.high |= from.high[i] ^ from.high[0];
  }
  // Counting takes time proportional to the number of digit values, even for few entries.
  const bits = size < MANY ? 8 : 11;
  const mask = (1 << bits) - 1;
  for (const half of ['low', 'high'] as const) {
    for (let shift = 0; shift < 32; shift += bits) {
      if (((varies[half] >>> shift) & mask) === 0) continue;
      distribute(from, from[half], shift, mask, to);
      [from, to] = [to, from];
    }
  }
  return from.entry;
}

interface Rows {
  readonly entry: Int32Array;
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/** Distributes rows by one digit. */
function distribute({ entry, low, high }: Rows, digits: Int32Array, shift: number, mask: number, to: Rows): void {
  const [toEntry, toLow, toHigh] = [to.entry, to.low, to.high];
  const place = new Int32Array(mask + 2);
  for (let i = 0; i < digits.length; i++) place[((digits[i] >>> shift) & mask) + 1]++;
  for (let digit = 0; digit <= mask; digit++) place[digit + 1] += place[digit];
  for (let i = 0; i < digits.length; i++) {
    const at = place[(digits[i] >>> shift) & mask]++;
    toEntry[at] = entry[i];
    toLow[at] = low[i];
    toHigh[at] = high[i];
  }
}

const MANY = 4096;
const SIGN = -0x80000000;
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
const LOW = IS_LITTLE_ENDIAN ? 0 : 1;
const HIGH = 1 - LOW;
