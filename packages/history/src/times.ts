import type { History } from './history.ts';

/** A column of 64-bit times, compared by halves, because numbers of 64 bits are slow objects in JavaScript. */
export class Times {
  readonly halves: Int32Array;

  constructor(times: BigInt64Array) {
    this.halves = new Int32Array(times.buffer, times.byteOffset, 2 * times.length);
  }

  /** Whether entry i is a time, and not NO_TIME. */
  isKnown(i: number): boolean {
    return this.halves[2 * i + HIGH] !== -0x80000000 || this.halves[2 * i + LOW] !== 0;
  }

  /** Whether entry i is less than entry j of another column. */
  isBefore(i: number, other: Times, j: number): boolean {
    const a = this.halves;
    const b = other.halves;
    const high = a[2 * i + HIGH];
    const otherHigh = b[2 * j + HIGH];
    return high !== otherHigh ? high < otherHigh : a[2 * i + LOW] >>> 0 < b[2 * j + LOW] >>> 0;
  }
}

/** The same without real times: most published logs have none. */
export const withoutTimes = (history: History): History => ({
  ...history,
  source: { ...history.source, timeUnit: 'none' },
  txnBegin: null,
  txnEnd: null,
});

/** Entries in the order of their times, equal ones as they were: sorted digit by digit, in linear time. */
export function sortByTime(entries: Int32Array, { halves }: Times): Int32Array {
  const size = entries.length;
  let from = { entry: entries.slice(), low: new Int32Array(size), high: new Int32Array(size) };
  let to = { entry: new Int32Array(size), low: new Int32Array(size), high: new Int32Array(size) };
  const varies = { low: 0, high: 0 }; // the bits in which times differ
  for (let i = 0; i < size; i++) {
    from.low[i] = halves[2 * entries[i] + LOW];
    from.high[i] = halves[2 * entries[i] + HIGH] ^ SIGN; // so that negative numbers come first
    varies.low |= from.low[i] ^ from.low[0];
    varies.high |= from.high[i] ^ from.high[0];
  }
  // Counting digits takes as long as there are digits, however few entries there are.
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

/** Moves rows to where they belong by one digit. */
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
