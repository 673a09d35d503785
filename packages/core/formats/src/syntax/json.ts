// A pull reader for JSON (RFC 8259) over bytes. The caller asks for the parts of its format in turn. No tree is built,
// no digit of a 64-bit integer is lost, and all occurrences of a word such as "append" share one string:
//
//   reader.reset(bytes, lineStart, lineEnd, line, lineStart);
//   reader.beginObject();
//   for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
//     if (key !== 'ops') { reader.skipValue(); continue; }
//     reader.beginSequence();
//     while (reader.nextElement()) { … }
//   }
//   reader.finish();
//
// Every method moves the reader past the bytes that it reads. Text that is not JSON, or not the requested part, causes a
// SyntaxProblem. Each value that `nextElement` or `nextKey` announces must be read or skipped before the next call.

import { ByteWindow, stringSyntax, type VerbatimNumber } from './byte-window.ts';
import type { Place } from './problem.ts';
import { decodeUtf8 } from './utf8.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'end';

/** Integers are numbers below 2⁵³ in magnitude and bigints otherwise; other numbers keep their text. */
export type JsonValue = null | boolean | number | bigint | string | VerbatimNumber | JsonValue[] | JsonObject;
/** A map rather than an object: `__proto__` is an ordinary key, and `10`, `9` keep their order. */
export type JsonObject = Map<string, JsonValue>;

const END = -1; // returned instead of a byte at the end
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const STRINGS = stringSyntax(
  (byte) => byte < 0x20 || byte === QUOTE || byte === BACKSLASH,
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'],
);

export class JsonReader extends ByteWindow {
  protected fresh = false; // a collection has just been opened, so no comma is expected
  private keyStart = 0; // index of the key last read

  override reset(bytes: Uint8Array, start: number, end: number, baseLine = 1, baseOffset = 0, baseColumn = 1): void {
    super.reset(bytes, start, end, baseLine, baseOffset, baseColumn);
    this.fresh = false;
  }

  /** Returns the kind of the next value, or `end` when only white space is left. */
  peek(): JsonKind {
    const byte = this.next();
    switch (byte) {
      case OPEN_BRACE:
        return 'object';
      case OPEN_BRACKET:
        return 'array';
      case QUOTE:
        return 'string';
      case 0x74: // t
      case 0x66: // f
        return 'boolean';
      case 0x6e: // n
        return 'null';
      case MINUS:
        return 'number';
      case END:
        return 'end';
    }
    return isDigit(byte) ? 'number' : this.fail(this.at, 'a value');
  }

  beginSequence(): void {
    this.begin(OPEN_BRACKET, CLOSE_BRACKET, 'an array');
  }

  /** Moves to the next element of the innermost array. At the end, leaves the array and returns false. */
  nextElement(): boolean {
    return this.advance(CLOSE_BRACKET);
  }

  expectElement(expected: string): void {
    if (this.next() === CLOSE_BRACKET) this.fail(this.at, expected);
    this.advance(CLOSE_BRACKET);
  }

  /** Leaves the innermost array, which must have no more elements. */
  endSequence(): void {
    if (this.next() !== CLOSE_BRACKET) this.fail(this.at, "']'");
    this.close();
  }

  beginObject(): void {
    this.begin(OPEN_BRACE, CLOSE_BRACE, 'an object');
  }

  /**
   * Moves to the next value of the innermost object and returns its key. At the end, leaves the object and returns
   * undefined.
   */
  nextKey(): string | undefined {
    if (!this.advance(CLOSE_BRACE)) return undefined;
    if (this.next() !== QUOTE) this.fail(this.at, 'a key in double quotes');
    this.keyStart = this.at;
    const key = this.readQuoted(this.at + 1, STRINGS);
    if (this.next() !== COLON) this.fail(this.at, "':'");
    this.at++;
    return key;
  }

  /** Returns the place of the key last read, for a message about it. */
  keyPlace(): Place {
    return this.placeAt(this.keyStart);
  }

  /** Leaves the innermost object, which must have no more keys. */
  endObject(): void {
    if (this.next() !== CLOSE_BRACE) this.fail(this.at, "'}'");
    this.close();
  }

  /**
   * Returns the text of the next object up to its bracket, if it is flat ASCII without an escape. Does not read it:
   * callers skip a text that they know, and check any other text.
   */
  flatObjectAhead(): string | undefined {
    if (this.next() !== OPEN_BRACE) return undefined;
    const { bytes, end, at: start } = this;
    let isQuoted = false;
    for (let at = start + 1; at < end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === BACKSLASH || byte >= 0x80) return undefined;
      else if (isQuoted) continue;
      else if (byte === CLOSE_BRACE) return decodeUtf8(bytes, start, at + 1);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return undefined;
    }
    return undefined;
  }

  /** Skips the object whose text {@link flatObjectAhead} returned. */
  skipFlatObject(text: string): void {
    this.at += text.length;
  }

  readString(): string {
    if (this.next() !== QUOTE) this.fail(this.at, 'a string');
    return this.readQuoted(this.at + 1, STRINGS);
  }

  override readInteger(): boolean {
    const negative = this.next() === MINUS;
    const { bytes, end, at: start } = this;
    const first = negative ? start + 1 : start;
    const at = this.readDigits(first, negative);
    if (at === first) this.fail(start, 'an integer');
    if (bytes[first] === ZERO && at > first + 1) this.fail(start, 'a number without leading zeros');
    if (at < end && isFractionStart(bytes[at])) this.fail(start, 'an integer');
    this.at = at;
    return this.bigText === '';
  }

  readBoolean(): boolean {
    const isTrue = this.next() === 0x74;
    this.literal(isTrue ? 'true' : 'false', 'true or false');
    return isTrue;
  }

  readNull(): void {
    this.next();
    const isMeant = this.at + 1 < this.end && this.bytes[this.at + 1] === 0x75; // its first letters are nu
    this.literal('null', isMeant ? 'null' : 'a value');
  }

  /** Skips any value, checking its syntax. */
  skipValue(): void {
    const outside = this.depth;
    do {
      const kind = this.peek();
      if (kind === 'array') this.beginSequence();
      else if (kind === 'object') this.beginObject();
      else this.readScalar(kind);
      while (this.depth > outside && !this.nextMember()) continue;
    } while (this.depth > outside);
  }

  /** Reads any value as a tree. Refuses an object with two equal keys, because one of the values would be lost. */
  readValue(): JsonValue {
    const open: (JsonValue[] | JsonObject)[] = [];
    const keys: string[] = []; // for each open object: the key of its current value
    for (;;) {
      const kind = this.peek();
      let value: JsonValue | undefined;
      if (kind === 'array') {
        this.beginSequence();
        open.push([]);
      } else if (kind === 'object') {
        this.beginObject();
        open.push(new Map());
      } else {
        value = this.readScalar(kind);
      }
      // Add the value to its collection. If it was the last value there, that collection is the next value.
      for (;;) {
        const around = open.at(-1);
        if (value !== undefined) {
          if (around === undefined) return value;
          if (around instanceof Map) around.set(keys.pop()!, value);
          else around.push(value);
        }
        if (around instanceof Map ? this.nextNewKey(around, keys) : this.nextElement()) break;
        value = open.pop()!;
      }
    }
  }

  protected override next(): number {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at];
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) {
        this.at = at;
        return byte;
      }
      at++;
    }
    this.at = at;
    return END;
  }

  private begin(opener: number, closer: number, expected: string): void {
    if (this.next() !== opener) this.fail(this.at, expected);
    this.enter(closer, 1);
    this.fresh = true;
  }

  private close(): void {
    this.leave();
    this.fresh = false;
  }

  private advance(closer: number): boolean {
    const byte = this.next();
    if (byte === closer) {
      this.close();
      return false;
    }
    if (this.fresh) {
      this.fresh = false;
      return true;
    }
    if (byte !== COMMA) this.fail(this.at, closer === CLOSE_BRACE ? "a comma or '}'" : "a comma or ']'");
    this.at++;
    if (this.next() === closer) this.fail(this.at, closer === CLOSE_BRACE ? 'a key in double quotes' : 'a value');
    return true;
  }

  /** Moves to the next value of the innermost collection, of either kind. */
  private nextMember(): boolean {
    return this.open[this.depth - 1] === CLOSE_BRACE ? this.nextKey() !== undefined : this.nextElement();
  }

  private nextNewKey(object: JsonObject, keys: string[]): boolean {
    const key = this.nextKey();
    if (key === undefined) return false;
    if (object.has(key)) this.fail(this.keyStart, 'a key that is not in the object yet');
    keys.push(key);
    return true;
  }

  private readScalar(kind: JsonKind): JsonValue {
    switch (kind) {
      case 'string':
        return this.readString();
      case 'number':
        return this.readNumber();
      case 'boolean':
        return this.readBoolean();
      case 'null':
        this.readNull();
        return null;
      default:
        return this.fail(this.at, 'a value');
    }
  }

  private readNumber(): number | bigint | VerbatimNumber {
    const { bytes, end, at: start } = this;
    let at = start + 1; // starts after a minus sign or the first digit
    while (at < end && isDigit(bytes[at])) at++;
    if (at === end || !isFractionStart(bytes[at])) {
      this.readInteger();
      return this.integer();
    }
    const first = bytes[start] === MINUS ? start + 1 : start;
    if (at === first) this.fail(start, 'an integer');
    if (bytes[first] === ZERO && at > first + 1) this.fail(start, 'a number without leading zeros');
    if (bytes[at] === DOT) at = this.digits(at + 1);
    if (at < end && (bytes[at] | 0x20) === 0x65) {
      at++;
      if (at < end && (bytes[at] === MINUS || bytes[at] === 0x2b)) at++;
      at = this.digits(at);
    }
    this.at = at;
    return { kind: 'number', text: this.text(start, at) };
  }

  /** Returns the index after the digits from `first` on; there must be at least one. */
  private digits(first: number): number {
    const { bytes, end } = this;
    let at = first;
    while (at < end && isDigit(bytes[at])) at++;
    if (at === first) this.fail(at, 'a digit');
    return at;
  }

  /** Reads a word whose first letter has been recognized. */
  private literal(word: string, expected: string): void {
    const { bytes, end, at } = this;
    for (let i = 0; i < word.length; i++) {
      if (at + i >= end || bytes[at + i] !== word.charCodeAt(i)) this.fail(at, expected);
    }
    this.at = at + word.length;
  }
}

function isDigit(byte: number): boolean {
  return (byte - ZERO) >>> 0 <= 9;
}

function isFractionStart(byte: number): boolean {
  return byte === DOT || (byte | 0x20) === 0x65;
}
