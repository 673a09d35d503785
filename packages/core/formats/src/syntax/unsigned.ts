import { Interner, joinInteger } from '@isolab/history';

/** Interns unsigned 64-bit integers by their halves, which an Interner treats as halves of a signed integer. */
export class UnsignedIds {
  readonly #ids: Interner;
  readonly #high = new Interner(); // integers from 2^63, by their halves
  readonly #idOfHigh: number[] = [];

  constructor(ids: Interner) {
    this.#ids = ids;
  }

  id(hi: number, lo: number): number {
    if (hi >= 0) return this.#ids.integer(hi, lo);
    const high = this.#high.integer(hi, lo);
    return (this.#idOfHigh[high] ??= this.#ids.bigint(joinUnsigned(hi, lo)));
  }
}

export const joinUnsigned = (hi: number, lo: number): bigint => BigInt.asUintN(64, joinInteger(hi, lo));

/** Reads decimal digits as the halves of an unsigned 64-bit integer. */
export class DecimalReader {
  hi = 0;
  lo = 0;

  /**
   * Reads the digits at `at` and returns their end: `at` itself if there are none, TOO_LONG if they need more than 64
   * bits.
   */
  read(bytes: Uint8Array, at: number, end: number): number {
    const first = at;
    const stop = at + SAFE_DIGITS < end ? at + SAFE_DIGITS : end;
    let number = 0;
    while (at < stop) {
      const digit = bytes[at] - ZERO;
      if (digit >>> 0 > 9) break;
      number = (Math.imul(number, 10) + digit) | 0;
      at++;
    }
    if (at === first + SAFE_DIGITS) return this.#readLong(bytes, first, end);
    this.hi = 0;
    this.lo = number;
    return at;
  }

  #readLong(bytes: Uint8Array, first: number, end: number): number {
    let hi = 0;
    let lo = 0;
    let at = first;
    for (; at < end; at++) {
      const digit = bytes[at] - ZERO;
      if (digit >>> 0 > 9) break;
      lo = lo * 10 + digit;
      hi = hi * 10 + Math.floor(lo / 2 ** 32);
      lo %= 2 ** 32;
      if (hi >= 2 ** 32) return TOO_LONG;
    }
    this.hi = hi | 0;
    this.lo = lo | 0;
    return at;
  }
}

export const TOO_LONG = -1;
const ZERO = 0x30;
/** Number of digits that always fit in 31 bits. */
const SAFE_DIGITS = 9;
