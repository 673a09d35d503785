import { describe } from './describe.ts';
import { SyntaxProblem, type Place } from './problem.ts';
import { StringPool } from './string-pool.ts';
import { decodeUtf8, firstInvalidUtf8 } from './utf8.ts';

/** Deeper nesting is refused: no history needs it, and callers may recurse. */
const MAX_DEPTH = 1000;
const MAX_DIGITS = 4096; // digits of an integer; a longer integer would only exhaust BigInt
const MAX_TEXT = 1 << 28; // bytes of one string; the engine's own limit is about twice as high

const SECOND_HALF = 'the second half of a surrogate pair';
const HEX_DIGIT = '0123456789abcdef';
const TWO_16 = 0x10000;
const TWO_32 = 0x100000000;

export interface StringSyntax {
  readonly stops: Uint8Array; // 1 for a byte that ends a run of plain bytes
  readonly escapes: Uint8Array; // for each byte after a backslash: the byte that it means, or 0
}

/** Makes a syntax of strings; `escapes` has pairs of the letter after a backslash and its meaning. */
export function stringSyntax(stops: (byte: number) => boolean, escapes: readonly string[]): StringSyntax {
  const meant = new Uint8Array(256);
  for (const pair of escapes) meant[pair.charCodeAt(0)] = pair.charCodeAt(1);
  return { stops: Uint8Array.from({ length: 256 }, (_, byte) => +stops(byte)), escapes: meant };
}

/** A number that is not an integer, spelled as in the file: a double might not hold it. */
export interface VerbatimNumber {
  readonly kind: 'number';
  readonly text: string;
}

/** Common part of the JSON and the EDN reader: a position in a range of bytes, exact integers, strings, errors. */
export abstract class ByteWindow {
  /** The integer last read, if it fits in 64 bits: hi · 2³² + (lo >>> 0), both int32. */
  hi = 0;
  lo = 0;
  /** The integer last read, in digits, if it does not fit in 64 bits; otherwise empty. */
  bigText = '';

  protected bytes: Uint8Array = new Uint8Array(0);
  protected at = 0; // index of the next byte
  protected end = 0;
  protected depth = 0; // number of open collections
  protected readonly open = new Int16Array(MAX_DEPTH); // open collections, outermost first, encoded by the syntax

  private readonly pool = new StringPool();
  private start = 0;
  private baseLine = 1;
  private baseColumn = 1;
  private baseOffset = 0;
  // Lines are counted on demand, from the point where the count last stopped.
  private countedTo = 0;
  private countedLine = 1;
  private lineStart = 0;

  /** Moves to the beginning of `bytes[start, end)`, which has this line, offset and column in its file. */
  reset(bytes: Uint8Array, start: number, end: number, baseLine = 1, baseOffset = 0, baseColumn = 1): void {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.depth = 0;
    this.start = start;
    this.baseLine = baseLine;
    this.baseColumn = baseColumn;
    this.baseOffset = baseOffset;
    this.rewindLines();
  }

  /** Offset of the next byte in the file. */
  get offset(): number {
    return this.baseOffset + this.at - this.start;
  }

  /** Returns the line, column and offset of the next byte. Calls in file order read the bytes only once in total. */
  place(): Place {
    return this.placeAt(this.at);
  }

  placeOf(offset: number): Place {
    return this.placeAt(offset - this.baseOffset + this.start);
  }

  /**
   * Reads an integer. Puts it into `hi` and `lo` and returns true; or into `bigText` and returns false if it exceeds 64
   * bits.
   */
  abstract readInteger(): boolean;

  /** Skips white space and comments, and returns the byte there, or -1 at the end of the window. */
  protected abstract next(): number;

  /** Reads an integer whose magnitude is below 2⁵³. */
  readSafeInteger(): number {
    this.next();
    const start = this.at;
    this.readInteger();
    const value = this.integer();
    return typeof value === 'number' ? value : this.fail(start, 'an integer between -2^53 and 2^53');
  }

  /** Fails if anything other than blanks and comments is left. */
  finish(): void {
    if (this.next() >= 0) this.fail(this.at, 'the end');
  }

  /** Returns the integer last read: a number if its magnitude is below 2⁵³, otherwise a bigint. */
  integer(): number | bigint {
    if (this.bigText !== '') return BigInt(this.bigText);
    const value = this.hi * TWO_32 + (this.lo >>> 0);
    return Number.isSafeInteger(value) ? value : (BigInt(this.hi) << 32n) | BigInt(this.lo >>> 0);
  }

  /** Records that a collection opens here with a bracket of `width` bytes. */
  protected enter(what: number, width: number): void {
    if (this.depth === MAX_DEPTH) this.fail(this.at, `nesting at most ${MAX_DEPTH} deep`);
    this.open[this.depth++] = what;
    this.at += width;
  }

  protected leave(): void {
    this.at++;
    this.depth--;
  }

  protected fail(at: number, expected: string): never {
    throw new SyntaxProblem(this.placeAt(at), describe(this.bytes, at, this.end), expected);
  }

  /** Reads digits into `hi` and `lo`, or `bigText`, and returns the index after them, or `first` if there are none. */
  protected readDigits(first: number, negative: boolean): number {
    const { bytes, end } = this;
    const nine = first + 9; // nine digits always fit in an int32
    const stop = nine < end ? nine : end;
    let at = first;
    let value = 0;
    while (at < stop) {
      const digit = bytes[at] - 0x30;
      if (digit >>> 0 > 9) break;
      value = (Math.imul(value, 10) + digit) | 0;
      at++;
    }
    if (at === nine && at < end && (bytes[at] - 0x30) >>> 0 <= 9) return this.readLongDigits(first, negative);
    const lo = (negative ? -value : value) | 0;
    this.lo = lo;
    this.hi = lo >> 31;
    this.bigText = '';
    return at;
  }

  private readLongDigits(first: number, negative: boolean): number {
    const { bytes, end } = this;
    let at = first + 9;
    while (at < end && (bytes[at] - 0x30) >>> 0 <= 9) at++;
    if (at - first > 19) return this.keepBigText(first, at, negative);

    let upper = 0; // all but the last nine digits, at most ten of them
    for (let i = first; i < at - 9; i++) upper = upper * 10 + (bytes[i] - 0x30);
    let lower = 0;
    for (let i = at - 9; i < at; i++) lower = lower * 10 + (bytes[i] - 0x30);

    // value = upper · 10⁹ + lower, with upper halved to keep products below 2⁵³, as sum + top · 2³²
    const upperHigh = Math.floor(upper / TWO_16);
    const product = upperHigh * 1e9;
    const top = Math.floor(product / TWO_16);
    const sum = (product - top * TWO_16) * TWO_16 + (upper - upperHigh * TWO_16) * 1e9 + lower;
    const hi = top + Math.floor(sum / TWO_32);
    const lo = sum | 0;
    if (hi > 0x7fffffff && !(negative && hi === 0x80000000 && lo === 0)) return this.keepBigText(first, at, negative);
    this.lo = negative ? -lo | 0 : lo;
    this.hi = negative ? (lo === 0 ? -hi | 0 : ~hi) : hi;
    this.bigText = '';
    return at;
  }

  private keepBigText(first: number, at: number, negative: boolean): number {
    if (at - first > MAX_DIGITS) this.fail(first, `an integer of at most ${MAX_DIGITS} digits`);
    this.bigText = (negative ? '-' : '') + decodeUtf8(this.bytes, first, at);
    this.hi = this.lo = 0;
    return at;
  }

  /**
   * Returns the text of any range, as one shared string for all occurrences if it is a word; fails if it is not UTF-8.
   */
  protected word(first: number, at: number): string {
    return this.pool.text(this.bytes, first, at) ?? this.text(first, at);
  }

  /** Returns the text of any range; fails if it is not UTF-8. */
  protected text(first: number, at: number): string {
    const { bytes } = this;
    if (at - first > MAX_TEXT) this.fail(first, `a text of at most ${MAX_TEXT} bytes`);
    const invalid = firstInvalidUtf8(bytes, first, at);
    if (invalid >= 0) this.fail(invalid, 'valid UTF-8');
    return decodeUtf8(bytes, first, at);
  }

  /** Reads a string whose content begins at `first`, after the quote. */
  protected readQuoted(first: number, syntax: StringSyntax): string {
    const { bytes, end } = this;
    const { stops } = syntax;
    let at = first;
    while (at < end && stops[bytes[at]] === 0) at++;
    if (at === end || bytes[at] !== 0x22) return this.readEscaped(first, at, syntax);
    this.at = at + 1;
    return this.word(first, at);
  }

  /** Reads the rest of a string whose plain beginning is `bytes[first, at)`. */
  private readEscaped(first: number, at: number, { stops, escapes }: StringSyntax): string {
    const { bytes, end } = this;
    let text = '';
    for (;;) {
      while (at < end && stops[bytes[at]] === 0) at++;
      if (at === end) this.fail(end, 'a closing quote');
      text += this.text(first, at);
      const byte = bytes[at];
      if (byte === 0x22) break;
      if (byte !== 0x5c) this.fail(at, 'an escape for this character');
      if (at + 1 < end && bytes[at + 1] === 0x75) {
        const unit = this.hexUnit(at);
        text += String.fromCharCode(unit);
        at += 6;
        // Half a pair has no UTF-8 form: two different keys would be written as equal keys.
        if (unit >= 0xdc00 && unit <= 0xdfff) this.fail(at - 6, 'the first half of a surrogate pair');
        if (unit >= 0xd800 && unit <= 0xdbff) {
          if (at + 1 >= end || bytes[at] !== 0x5c || bytes[at + 1] !== 0x75) this.fail(at, SECOND_HALF);
          const second = this.hexUnit(at);
          if (second < 0xdc00 || second > 0xdfff) this.fail(at, SECOND_HALF);
          text += String.fromCharCode(second);
          at += 6;
        }
      } else {
        const meant = at + 1 < end ? escapes[bytes[at + 1]] : 0;
        if (meant === 0) this.fail(at, 'an escape such as \\n or \\u0041');
        text += String.fromCharCode(meant);
        at += 2;
      }
      first = at;
    }
    this.at = at + 1;
    return text;
  }

  /** Reads the four hexadecimal digits after the `\u` at `at`, and returns their number. */
  protected hexUnit(at: number): number {
    const { bytes, end } = this;
    let unit = 0;
    for (let i = at + 2; i < at + 6; i++) {
      const digit = i < end ? HEX_DIGIT.indexOf(String.fromCharCode(bytes[i]).toLowerCase()) : -1;
      if (digit < 0) this.fail(i, 'a hexadecimal digit');
      unit = unit * 16 + digit;
    }
    return unit;
  }

  protected placeAt(at: number): Place {
    const { bytes } = this;
    if (at < this.countedTo) this.rewindLines();
    for (let i = this.countedTo; i < at; i++) {
      if (bytes[i] !== 0x0a) continue;
      this.countedLine++;
      this.lineStart = i + 1;
    }
    this.countedTo = at;
    return { line: this.countedLine, column: at - this.lineStart + 1, offset: this.baseOffset + at - this.start };
  }

  private rewindLines(): void {
    this.countedTo = this.start;
    this.countedLine = this.baseLine;
    this.lineStart = this.start - (this.baseColumn - 1);
  }
}
