// A reader for the part of YAML 1.2 in which programs write plain data: one document of block or flow collections,
// whose keys are words and whose scalars are natural numbers and booleans, with comments. The caller says what comes
// next, and so nothing else can be in the file: no anchors or aliases, no tags, no quoted or folded text, no merge keys.
//
// A block collection must stand in or behind the column that its caller names as the first possible one, counted
// from 0; inside a flow collection that is FLOW, where no block collection can begin.

import { DecimalReader, TOO_LONG } from '../unsigned.ts';
import { describe } from './describe.ts';
import { SyntaxProblem } from './problem.ts';
import { firstInvalidUtf8 } from './utf8.ts';

/** The column that only flow style reaches. */
const FLOW = Number.POSITIVE_INFINITY;

export class YamlReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #number = new DecimalReader();
  #at = 0;
  #line = 1;
  #lineStart = 0;
  #keyLine = 0; // line of the key last read
  #flow = 0; // how many flow collections are open

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** Halves of the number last read. */
  get hi(): number {
    return this.#number.hi;
  }

  get lo(): number {
    return this.#number.lo;
  }

  /** The line of what comes next. */
  nextLine(): number {
    this.#skip();
    return this.#line;
  }

  /** Reads the document's markers and, between them, what `content` reads from column 0 on. */
  document(content: (first: number) => void): void {
    const invalid = firstInvalidUtf8(this.#bytes, 0, this.#end);
    if (invalid >= 0) {
      this.#goTo(invalid);
      this.#fail('valid UTF-8');
    }
    this.#skip();
    if (this.#isMarker(MINUS)) this.#at += 3;
    content(0);
    this.#skip();
    if (this.#isMarker(DOT)) {
      this.#at += 3;
      this.#skip();
    }
    if (this.#at < this.#end) this.#fail('the end of the document');
  }

  /** Reads a sequence; `item` reads each of its items, from the column that it is given on. */
  sequence(first: number, expected: string, item: (first: number) => void): void {
    this.#enter(first, expected);
    if (this.#bytes[this.#at] === OPEN_BRACKET) {
      this.#open();
      while (this.#isMore(CLOSE_BRACKET, "a comma or ']'")) item(FLOW);
      this.#close();
      return;
    }
    if (!this.#isDash() || this.#column < first) this.#fail(expected);
    if (this.#line === this.#keyLine) this.#fail('a line break before the first item');
    const column = this.#column;
    do {
      this.#at++;
      item(column + 1);
      this.#skip();
    } while (this.#isDash() && this.#column === column);
    if (this.#at < this.#end && this.#column > column) this.#fail(`'-' in column ${column + 1}, or less indentation`);
  }

  /** Reads a mapping with all keys, in any order; `value` is given the number of the key whose value it reads. */
  mapping(first: number, keys: Keys, value: (key: number, first: number) => void): void {
    this.#enter(first, keys.expected);
    const [begin, line, lineStart] = [this.#at, this.#line, this.#lineStart];
    let missing = (1 << keys.names.length) - 1;
    const member = (from: number): void => {
      const key = this.#readKey(keys, missing);
      missing &= ~(1 << key);
      value(key, from);
    };
    if (this.#bytes[this.#at] === OPEN_BRACE) {
      this.#open();
      while (this.#isMore(CLOSE_BRACE, "a comma or '}'")) member(FLOW);
      this.#close();
    } else {
      const column = this.#column;
      if (column < first || !isLetter(this.#bytes[this.#at])) this.#fail(keys.expected);
      do {
        member(column);
        this.#skip();
      } while (this.#at < this.#end && this.#column === column && isLetter(this.#bytes[this.#at]));
      if (this.#at < this.#end && this.#column > column)
        this.#fail(`a key in column ${column + 1}, or less indentation`);
    }
    if (missing === 0) return;
    [this.#at, this.#line, this.#lineStart] = [begin, line, lineStart];
    const names = keys.texts.filter((_, key) => missing & (1 << key)).join("' and '");
    throw this.#problem(`a mapping without '${names}'`, keys.expected);
  }

  readBoolean(first: number): boolean {
    this.#enter(first, BOOLEAN);
    const isTrue = this.#bytes[this.#at] === TRUE[0];
    const word = isTrue ? TRUE : FALSE;
    const after = this.#at + word.length;
    if (!this.#startsWith(word) || !this.#isDelimiter(after)) this.#fail(BOOLEAN);
    this.#at = after;
    return isTrue;
  }

  /** Reads a natural number below 2^64 into `hi` and `lo`. */
  readNatural(first: number): void {
    this.#enter(first, NATURAL);
    const after = this.#number.read(this.#bytes, this.#at, this.#end);
    if (after === TOO_LONG || after === this.#at || !this.#isDelimiter(after)) this.#fail(NATURAL);
    this.#at = after;
  }

  /** Goes to what comes next, which must belong to the collection whose items begin in `first`. */
  #enter(first: number, expected: string): void {
    this.#skip();
    if (this.#at >= this.#end || (first !== FLOW && this.#column < first)) this.#fail(expected);
  }

  #open(): void {
    this.#flow++;
    this.#at++;
    this.#fresh = true;
  }

  #close(): void {
    this.#flow--;
    this.#at++;
    this.#fresh = false;
  }

  #fresh = false; // a flow collection was just opened: no comma is due

  /** Goes to the next member of the innermost flow collection, or to what closes it. */
  #isMore(closer: number, expected: string): boolean {
    this.#skip();
    if (!this.#fresh && this.#bytes[this.#at] === COMMA && this.#at < this.#end) {
      this.#at++;
      this.#skip();
    } else if (!this.#fresh && (this.#at >= this.#end || this.#bytes[this.#at] !== closer)) this.#fail(expected);
    this.#fresh = false;
    return this.#at >= this.#end || this.#bytes[this.#at] !== closer;
  }

  /** Reads a key of which there must be no second one, and its colon. */
  #readKey({ names, expected }: Keys, missing: number): number {
    let key = 0;
    while (key < names.length && !(this.#startsWith(names[key]) && this.#bytes[this.#at + names[key].length] === COLON))
      key++;
    if (key === names.length) this.#fail(expected);
    if ((missing & (1 << key)) === 0) this.#fail('a key that is not in the mapping yet');
    this.#keyLine = this.#line;
    this.#at += names[key].length + 1;
    if (!this.#isBlank(this.#at)) this.#fail("a space after ':'");
    return key;
  }

  /** Goes to the next byte that is neither a blank nor in a comment. */
  #skip(): void {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at;
    let tab = -1; // in the indentation of the line
    let indenting = at === this.#lineStart;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === SPACE || byte === CARRIAGE_RETURN) continue;
      if (byte === LINE_FEED) {
        this.#line++;
        this.#lineStart = at + 1;
        indenting = true;
        tab = -1;
      } else if (byte === TAB) {
        if (indenting && tab < 0) tab = at;
      } else if (byte === HASH && (at === 0 || isBlankByte(bytes[at - 1]))) {
        const feed = bytes.indexOf(LINE_FEED, at);
        at = (feed < 0 ? end : feed) - 1;
      } else break;
    }
    this.#at = at;
    if (tab >= 0 && at < end) {
      this.#at = tab;
      this.#fail('spaces for indentation');
    }
  }

  get #column(): number {
    return this.#at - this.#lineStart;
  }

  #isDash(): boolean {
    return this.#at < this.#end && this.#bytes[this.#at] === MINUS && this.#isBlank(this.#at + 1);
  }

  /** Whether `---` or `...` is here. */
  #isMarker(byte: number): boolean {
    const [bytes, at] = [this.#bytes, this.#at];
    return (
      at === this.#lineStart &&
      bytes[at] === byte &&
      bytes[at + 1] === byte &&
      bytes[at + 2] === byte &&
      this.#isBlank(at + 3)
    );
  }

  #isBlank(at: number): boolean {
    return at >= this.#end || isBlankByte(this.#bytes[at]);
  }

  #isDelimiter(at: number): boolean {
    if (this.#isBlank(at)) return true;
    const byte = this.#bytes[at];
    return this.#flow > 0 && (byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE);
  }

  #startsWith(word: Uint8Array): boolean {
    for (let i = 0; i < word.length; i++) if (this.#bytes[this.#at + i] !== word[i]) return false;
    return true;
  }

  #goTo(at: number): void {
    for (let i = 0; i < at; i++) {
      if (this.#bytes[i] !== LINE_FEED) continue;
      this.#line++;
      this.#lineStart = i + 1;
    }
    this.#at = at;
  }

  #fail(expected: string): never {
    throw this.#problem(describe(this.#bytes, this.#at, this.#end), expected);
  }

  #problem(found: string, expected: string): SyntaxProblem {
    return new SyntaxProblem({ line: this.#line, column: this.#column + 1, offset: this.#at }, found, expected);
  }
}

/** The keys that a mapping must have, and what a message calls it. */
export interface Keys {
  readonly texts: readonly string[];
  readonly names: readonly Uint8Array[];
  readonly expected: string;
}

export const keysOf = (expected: string, texts: readonly string[]): Keys => ({
  texts,
  names: texts.map((text) => new TextEncoder().encode(text)),
  expected,
});

const isLetter = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
const isBlankByte = (byte: number): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;

const BOOLEAN = 'true or false';
const NATURAL = 'a natural number below 2^64';
const [TRUE, FALSE] = [new TextEncoder().encode('true'), new TextEncoder().encode('false')];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const [COMMA, COLON, MINUS, DOT, HASH] = [0x2c, 0x3a, 0x2d, 0x2e, 0x23];
const [LINE_FEED, CARRIAGE_RETURN, SPACE, TAB] = [10, 13, 32, 9];
