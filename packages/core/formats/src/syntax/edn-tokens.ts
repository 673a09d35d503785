import { ByteWindow, stringSyntax, type VerbatimNumber } from './byte-window.ts';
import { MEANING, MEANING_OF_BYTE, WITHIN } from './edn-bytes.ts';
import type { EdnValue } from './edn-values.ts';
import { sequenceLength } from './utf8.ts';

type EdnCollectionKind = 'map' | 'vector' | 'list' | 'set';
type EdnScalarKind = 'keyword' | 'symbol' | 'string' | 'character' | 'number' | 'boolean' | 'nil' | 'tagged';
export type EdnKind = EdnCollectionKind | EdnScalarKind | 'end';

// Local copies: see edn-bytes.ts.
const { TOKEN, HASH, ILLEGAL, BLANK, COMMENT, OPEN, CLOSE } = MEANING;
const meaningOf = MEANING_OF_BYTE;

const END = -1; // returned instead of a byte at the end
const QUOTE = 0x22;
const HASH_SIGN = 0x23;
const PLUS = 0x2b;
const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const UNDERSCORE = 0x5f;
const OPEN_BRACE = 0x7b;

const STRINGS = stringSyntax(
  (byte) => byte === QUOTE || byte === BACKSLASH,
  ['""', '\\\\', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'],
);

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['newline', '\n'],
  ['return', '\r'],
  ['space', ' '],
  ['tab', '\t'],
  ['formfeed', '\f'],
  ['backspace', '\b'],
]);

const MAX_NUMBER = 4096; // longer text could exhaust the stack of a regular expression
const FLOAT = /^[-+]?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d+)?M?$/;
const RATIO = /^[-+]?(0|[1-9]\d*)\/(0|[1-9]\d*)$/;

/** The part of {@link EdnReader} below collections: white space, discards, scalars, and forms read as plain text. */
export class EdnTokens extends ByteWindow {
  /** Returns the kind of the next form, or `end` if the window has no more forms. Fails at a closing bracket. */
  peek(): EdnKind {
    const byte = this.next();
    const { bytes, end, at } = this;
    switch (byte) {
      case OPEN_BRACE:
        return 'map';
      case OPEN_BRACKET:
        return 'vector';
      case 0x28:
        return 'list';
      case COLON:
        return 'keyword';
      case QUOTE:
        return 'string';
      case BACKSLASH:
        return 'character';
      case HASH_SIGN:
        return at + 1 < end && bytes[at + 1] === OPEN_BRACE ? 'set' : 'tagged';
      case MINUS:
      case PLUS:
        return at + 1 < end && isDigit(bytes[at + 1]) ? 'number' : 'symbol';
      case 0x6e: // n
        return this.isWord('nil') ? 'nil' : 'symbol';
      case 0x74: // t
        return this.isWord('true') ? 'boolean' : 'symbol';
      case 0x66: // f
        return this.isWord('false') ? 'boolean' : 'symbol';
      case END:
        return 'end';
    }
    if (isDigit(byte)) return 'number';
    if (byte === 0x5e) this.fail(at, 'a form without metadata');
    return meaningOf[byte] === TOKEN ? 'symbol' : this.fail(at, 'a form');
  }

  /** Reads a keyword and returns its name, without the colon. */
  readKeyword(): string {
    const byte = this.next();
    const start = this.at;
    if (byte !== COLON) this.fail(start, 'a keyword');
    const name = this.token(start + 1);
    if (name === '' || this.bytes[start + 1] === COLON) this.fail(start, 'a keyword');
    return name;
  }

  readSymbol(): string {
    if (this.peek() !== 'symbol') this.fail(this.at, 'a symbol');
    return this.token(this.at);
  }

  readString(): string {
    if (this.next() !== QUOTE) this.fail(this.at, 'a string');
    return this.readQuoted(this.at + 1, STRINGS);
  }

  override readInteger(): boolean {
    const sign = this.next();
    const { bytes, end, at: start } = this;
    const first = sign === MINUS || sign === PLUS ? start + 1 : start;
    let at = this.readDigits(first, sign === MINUS);
    if (at === first) this.fail(start, 'an integer');
    if (bytes[first] === ZERO && at > first + 1) this.fail(start, 'a number without leading zeros');
    if (at < end && meaningOf[bytes[at]] <= ILLEGAL) {
      if (bytes[at] === 0x4e) at++; // N, an integer of any size
      if (at < end && meaningOf[bytes[at]] <= ILLEGAL) this.fail(start, 'an integer');
    }
    this.at = at;
    return this.bigText === '';
  }

  readBoolean(): boolean {
    if (this.peek() !== 'boolean') this.fail(this.at, 'true or false');
    return this.token(this.at) === 'true';
  }

  readNull(): void {
    if (this.peek() !== 'nil') this.fail(this.at, 'nil');
    this.at += 3;
  }

  /** Reads the tag of a tagged form and returns its name; the form itself comes next. */
  readTag(): string {
    if (this.next() !== HASH_SIGN) this.fail(this.at, 'a tag');
    const { bytes, end, at } = this;
    if (at + 1 >= end || !isLetter(bytes[at + 1])) this.fail(at + 1, "a tag, '{' or '_' after '#'");
    return this.token(at + 1);
  }

  /** Reads any form and returns its text. */
  readVerbatim(): string {
    this.next();
    const start = this.at;
    this.skipValue();
    return this.text(start, this.at);
  }

  /** Skips any form, checking its syntax. */
  skipValue(): void {
    const { bytes, open, depth: outside } = this;
    for (;;) {
      const byte = this.blank();
      const { at } = this;
      const second = at + 1 < this.end ? bytes[at + 1] : END;
      switch (byte === END ? CLOSE : meaningOf[byte]) {
        case OPEN:
          this.enter(byte === OPEN_BRACE ? WITHIN.MAP : byte === OPEN_BRACKET ? WITHIN.VECTOR : WITHIN.LIST, 1);
          continue;
        case CLOSE: {
          const top = this.depth > outside ? open[this.depth - 1] : WITHIN.DISCARD;
          if (byte !== (top & WITHIN.BRACKET)) this.failInside(top);
          this.leave();
          break;
        }
        case HASH:
          if (second === OPEN_BRACE) this.enter(WITHIN.SET, 2);
          else if (second === UNDERSCORE) this.enter(WITHIN.DISCARD, 2);
          else {
            this.readTag();
            this.enter(WITHIN.TAGGED, 0);
          }
          continue;
        default:
          this.readScalar();
      }
      if (this.closesForm(outside)) return;
    }
  }

  protected override next(): number {
    let byte = this.blank();
    while (byte === HASH_SIGN && this.at + 1 < this.end && this.bytes[this.at + 1] === UNDERSCORE) {
      this.at += 2;
      this.skipValue();
      byte = this.blank();
    }
    return byte;
  }

  /** Skips white space and comments and returns the next byte. */
  private blank(): number {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at];
      const meaning = meaningOf[byte];
      if (meaning < BLANK || meaning > COMMENT) {
        this.at = at;
        return byte;
      }
      if (meaning === COMMENT) while (at < end && bytes[at] !== 0x0a) at++;
      else at++;
    }
    this.at = at;
    return END;
  }

  /**
   * Ends a skipped form, with the tags before it. Returns true if it was the whole form to skip, at depth `outside`.
   */
  private closesForm(outside: number): boolean {
    const { open } = this;
    while (this.depth > outside) {
      const top = open[this.depth - 1];
      if (top === WITHIN.MAP) open[this.depth - 1] = WITHIN.ENTRY;
      else if (top === WITHIN.ENTRY) open[this.depth - 1] = WITHIN.MAP;
      else if (top === WITHIN.TAGGED || top === WITHIN.DISCARD) this.depth--;
      if (top !== WITHIN.TAGGED) return false;
    }
    return true;
  }

  /** Reports a closing bracket, or the end of the file, that comes too early in `top`. */
  protected failInside(top: number): never {
    if (top === WITHIN.MAP) this.fail(this.at, "a key or '}'");
    if (top === WITHIN.ENTRY) this.fail(this.at, 'a value');
    this.fail(this.at, top > 0 ? `a form or '${String.fromCharCode(top & WITHIN.BRACKET)}'` : 'a form');
  }

  protected readScalar(): EdnValue {
    const kind = this.peek();
    switch (kind) {
      case 'keyword':
        return { kind, name: this.readKeyword() };
      case 'symbol':
        return { kind, name: this.readSymbol() };
      case 'character':
        return { kind, name: this.readCharacter() };
      case 'string':
        return this.readString();
      case 'number':
        return this.readNumber();
      case 'boolean':
        return this.readBoolean();
      case 'nil':
        this.readNull();
        return null;
      case 'tagged': {
        const start = this.at;
        const tag = this.readTag();
        this.skipValue();
        return { kind, tag, text: this.text(start, this.at) };
      }
      default:
        return this.fail(this.at, 'a form');
    }
  }

  private readNumber(): number | bigint | VerbatimNumber {
    const { bytes, end, at: start } = this;
    let at = start + 1; // starts after the sign or the first digit
    while (at < end && isDigit(bytes[at])) at++;
    if (at === end || meaningOf[bytes[at]] > ILLEGAL || bytes[at] === 0x4e) {
      this.readInteger();
      return this.integer();
    }
    const text = this.token(start);
    if (text.length > MAX_NUMBER) this.fail(start, `a number of at most ${MAX_NUMBER} characters`);
    if (!FLOAT.test(text) && !RATIO.test(text)) this.fail(start, 'a number');
    return { kind: 'number', text };
  }

  private readCharacter(): string {
    const { bytes, end, at: start } = this;
    let at = start + 1;
    // The first byte may be any visible character, such as a bracket.
    const width = at < end && bytes[at] > 0x20 ? sequenceLength(bytes[at]) : 0;
    if (width === 0) this.fail(at, 'a character');
    at++;
    while (at < end && meaningOf[bytes[at]] <= HASH) at++;
    const name = this.text(start + 1, at);
    if (at < end && meaningOf[bytes[at]] === ILLEGAL) this.fail(at, 'white space or a bracket');
    this.at = at;
    if (at - start - 1 === width) return name;
    if (bytes[start + 1] === 0x75 && at === start + 6) {
      const unit = this.hexUnit(start);
      if (unit >= 0xd800 && unit <= 0xdfff) this.fail(start, 'a whole character');
      return String.fromCharCode(unit);
    }
    return CHARACTERS.get(name) ?? this.fail(start, 'a character such as \\a, \\newline or \\u0041');
  }

  /** Reads the rest of a symbol or keyword, which may be empty. */
  private token(first: number): string {
    const { bytes, end } = this;
    let at = first;
    while (at < end && meaningOf[bytes[at]] <= HASH) at++;
    if (at < end && meaningOf[bytes[at]] === ILLEGAL) this.fail(at, 'white space or a bracket');
    this.at = at;
    return this.word(first, at);
  }

  private isWord(word: string): boolean {
    const { bytes, end, at } = this;
    const after = at + word.length;
    if (after > end || (after < end && meaningOf[bytes[after]] <= ILLEGAL)) return false;
    for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return false;
    return true;
  }
}

function isDigit(byte: number): boolean {
  return (byte - ZERO) >>> 0 <= 9;
}

function isLetter(byte: number): boolean {
  return ((byte | 0x20) - 0x61) >>> 0 < 26;
}
