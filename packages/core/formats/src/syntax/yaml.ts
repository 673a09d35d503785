// A reader for the part of YAML 1.2 in which programs write plain data: one document of block or flow collections,
// whose keys are words and whose scalars are natural numbers and booleans, with comments. The caller names the next
// part, so the file cannot contain anything else: no anchors or aliases, no tags, no quoted or folded text, no merge
// keys.
//
// A block collection must begin at or after the first column that its caller allows, counted from 0. Inside a flow
// collection this column is FLOW, where no block collection can begin.

import { describe } from './describe.ts';
import { SyntaxProblem } from './problem.ts';
import { firstInvalidUtf8 } from './utf8.ts';

/** A column that only flow style reaches. */
const FLOW = Number.POSITIVE_INFINITY;

const BLANKS = /(?:[ \t\r\n]+|(?<=^|[ \t\r\n])#[^\n]*)*/y;
const DASH = /-(?![^ \t\r\n])/y;
const LETTER = /[A-Za-z]/y;
const BEGIN_MARKER = /---(?![^ \t\r\n])/y;
const END_MARKER = /\.\.\.(?![^ \t\r\n])/y;
/** Patterns of scalars, in block and in flow style. */
const BOOLEAN = [/(?:true|false)(?![^ \t\r\n])/y, /(?:true|false)(?![^ \t\r\n,\]}])/y] as const;
const NATURAL = [/\d+(?![^ \t\r\n])/y, /\d+(?![^ \t\r\n,\]}])/y] as const;

export class YamlReader {
  readonly #bytes: Uint8Array;
  readonly #text: string; // one character per byte
  #at = 0;
  #line = 1;
  #lineStart = 0;
  #keyLine = 0; // line of the key last read
  #flow = 0; // number of open flow collections
  #fresh = false; // a flow collection has just been opened, so no comma is expected

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes).toString('latin1');
  }

  nextLine(): number {
    this.#skip();
    return this.#line;
  }

  /** Reads the document's markers and, between them, the contents, which `content` reads from column 0 on. */
  document(content: (first: number) => void): void {
    const invalid = firstInvalidUtf8(this.#bytes, 0, this.#bytes.length);
    if (invalid >= 0) this.#failAt(invalid, 'valid UTF-8');
    this.#skip();
    if (this.#column === 0) this.#take(BEGIN_MARKER);
    content(0);
    this.#skip();
    if (this.#column === 0 && this.#take(END_MARKER)) this.#skip();
    if (this.#at < this.#text.length) this.#fail('the end of the document');
  }

  /** Reads a sequence; `item` reads each item, from the given column on. */
  sequence(first: number, expected: string, item: (first: number) => void): void {
    this.#enter(first, expected);
    if (this.#isFlow('[')) {
      while (this.#isMore(']', "a comma or ']'")) item(FLOW);
      return;
    }
    if (!this.#isHere(DASH) || this.#column < first) this.#fail(expected);
    if (this.#line === this.#keyLine) this.#fail('a line break before the first item');
    const column = this.#column;
    do {
      this.#at++;
      item(column + 1);
      this.#skip();
    } while (this.#isHere(DASH) && this.#column === column);
    this.#checkIndentation(column, `'-'`);
  }

  /** Reads a mapping with all keys, in any order; `value` receives the number of the key whose value it reads. */
  mapping(first: number, keys: Keys, value: (key: number, first: number) => void): void {
    this.#enter(first, keys.expected);
    const begin = this.#at;
    let missing = (1 << keys.names.length) - 1;
    const member = (from: number): void => {
      const key = this.#readKey(keys, missing);
      missing &= ~(1 << key);
      value(key, from);
    };
    if (this.#isFlow('{')) {
      while (this.#isMore('}', "a comma or '}'")) member(FLOW);
    } else {
      const column = this.#column;
      if (column < first || !this.#isHere(LETTER)) this.#fail(keys.expected);
      do {
        member(column);
        this.#skip();
      } while (this.#column === column && this.#isHere(LETTER));
      this.#checkIndentation(column, 'a key');
    }
    if (missing === 0) return;
    const names = keys.names.filter((_, key) => missing & (1 << key)).join("' and '");
    this.#failAt(begin, keys.expected, `a mapping without '${names}'`);
  }

  readBoolean(first: number): boolean {
    this.#enter(first, 'true or false');
    return (this.#take(BOOLEAN[this.#flow > 0 ? 1 : 0]) ?? this.#fail('true or false')) === 'true';
  }

  readNatural(first: number): bigint {
    const expected = 'a natural number below 2^64';
    this.#enter(first, expected);
    const begin = this.#at;
    const number = BigInt(this.#take(NATURAL[this.#flow > 0 ? 1 : 0]) ?? this.#fail(expected));
    return number < 2n ** 64n ? number : this.#failAt(begin, expected);
  }

  /** Moves to the next item, which must belong to the collection whose items begin in column `first`. */
  #enter(first: number, expected: string): void {
    this.#skip();
    if (this.#at >= this.#text.length || (first !== FLOW && this.#column < first)) this.#fail(expected);
  }

  /** Enters a flow collection if one begins here, and returns whether it did. */
  #isFlow(opener: string): boolean {
    if (this.#text[this.#at] !== opener) return false;
    this.#flow++;
    this.#at++;
    this.#fresh = true;
    return true;
  }

  /** Moves to the next member of the innermost flow collection. At the end, leaves the collection and returns false. */
  #isMore(closer: string, expected: string): boolean {
    this.#skip();
    if (!this.#fresh && this.#text[this.#at] === ',') {
      this.#at++;
      this.#skip();
    } else if (!this.#fresh && this.#text[this.#at] !== closer) this.#fail(expected);
    this.#fresh = false;
    if (this.#text[this.#at] !== closer) return true;
    this.#flow--;
    this.#at++;
    return false;
  }

  /** Refuses an item further to the right than the members of the block collection that has just ended. */
  #checkIndentation(column: number, member: string): void {
    if (this.#at < this.#text.length && this.#column > column)
      this.#fail(`${member} in column ${column + 1}, or less indentation`);
  }

  /** Reads a key, which must not repeat, and its colon. */
  #readKey({ names, expected }: Keys, missing: number): number {
    const key = names.findIndex((name) => this.#text.startsWith(`${name}:`, this.#at));
    if (key < 0) this.#fail(expected);
    if ((missing & (1 << key)) === 0) this.#fail('a key that is not in the mapping yet');
    this.#keyLine = this.#line;
    this.#at += names[key]!.length + 1;
    if (/[^ \t\r\n]/.test(this.#text[this.#at] ?? ' ')) this.#fail("a space after ':'");
    return key;
  }

  #skip(): void {
    const begin = this.#at;
    const blanks = this.#take(BLANKS)!;
    for (let feed = blanks.indexOf('\n'); feed >= 0; feed = blanks.indexOf('\n', feed + 1)) {
      this.#line++;
      this.#lineStart = begin + feed + 1;
    }
    if (begin > this.#lineStart || this.#at === this.#text.length) return;
    const tab = this.#text.slice(this.#lineStart, this.#at).indexOf('\t');
    if (tab >= 0) this.#failAt(this.#lineStart + tab, 'spaces for indentation');
  }

  get #column(): number {
    return this.#at - this.#lineStart;
  }

  #isHere(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  /** Reads the match of a pattern at the current position, if there is one. */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0];
    this.#at += taken?.length ?? 0;
    return taken;
  }

  #fail(expected: string): never {
    this.#failAt(this.#at, expected);
  }

  #failAt(offset: number, expected: string, found = describe(this.#bytes, offset, this.#bytes.length)): never {
    const lines = this.#text.slice(0, offset).split('\n');
    throw new SyntaxProblem({ line: lines.length, column: lines.at(-1)!.length + 1, offset }, found, expected);
  }
}

/** The keys that a mapping must have, and its name in messages. */
export interface Keys {
  readonly names: readonly string[];
  readonly expected: string;
}
