import { isUtf8 } from 'node:buffer';
import { type History, HistoryBuilder, Interner, NIL, OpKind, TxnStatus } from '@isolab/history';
import { InitialZeros } from './dbcop-initial-zeros.ts';
import { unexpected } from '../files/errors.ts';
import { DecimalReader, TOO_LONG, UnsignedIds } from '../syntax/unsigned.ts';
import { LineReader } from '../files/line-reader.ts';

/**
 * Reads lines of
 *
 *     line        := (transaction* | '-'+) ('//' comment)?
 *     transaction := '[' event (blank event)* ']' '!'?
 *     event       := variable (':=' version | '==' version | '==?')
 *
 * Lines of dashes separate sessions, which may be empty. `!` marks a transaction that did not commit, and `==?` a read
 * of the initial state. All events of a transaction are on its line.
 */
export class HistReader extends LineReader {
  readonly #builder: HistoryBuilder;
  readonly #keys: Variables;
  readonly #values: UnsignedIds;
  readonly #zeros: InitialZeros;
  readonly #number = new DecimalReader();
  #session: number;

  constructor(file: string) {
    super(file);
    this.#builder = new HistoryBuilder({ format: 'dbcop-hist', file, unit: 'line' });
    this.#keys = new Variables(this.#builder.keys);
    this.#values = new UnsignedIds(this.#builder.values);
    this.#zeros = new InitialZeros(this.#builder);
    this.#session = this.#builder.sessions.integer(0, 1);
  }

  protected override readLine(bytes: Uint8Array, at: number, end: number): number {
    at = skipBlanks(bytes, at, end);
    let expected = "'[', '---' or '//'";
    if (at < end && bytes[at] === MINUS) {
      while (at < end && bytes[at] === MINUS) at++;
      at = skipBlanks(bytes, at, end);
      this.#session = this.#builder.sessions.integer(0, this.#session + 2); // counted from 1
      expected = 'the end of the line';
    } else {
      while (at < end && bytes[at] === OPEN) {
        at = skipBlanks(bytes, this.#readTransaction(bytes, at, end), end);
        expected = "'[' or the end of the line";
      }
    }
    if (at + 1 < end && bytes[at] === SLASH && bytes[at + 1] === SLASH) at = this.#skipComment(bytes, at, end);
    if (at < end && bytes[at] === CARRIAGE_RETURN) at++;
    if (at >= end) return at;
    if (bytes[at] !== LINE_FEED) this.fail(bytes, at, end, expected);
    return at + 1;
  }

  #readTransaction(bytes: Uint8Array, at: number, end: number): number {
    const t = this.#builder.begin(this.#session, this.line);
    at = skipBlanks(bytes, at + 1, end);
    for (;;) {
      at = this.#readEvent(bytes, at, end);
      const behind = skipBlanks(bytes, at, end);
      if (behind < end && bytes[behind] === CLOSE) {
        at = behind + 1;
        break;
      }
      if (behind === at) this.fail(bytes, at, end, "a digit, a blank or ']'");
      at = behind;
    }
    if (at >= end || bytes[at] !== BANG) return at;
    this.#builder.outcome(t, TxnStatus.Aborted);
    return at + 1;
  }

  #readEvent(bytes: Uint8Array, at: number, end: number): number {
    const after = this.#keys.read(bytes, at, end);
    if (after === at) this.fail(bytes, at, end, "a variable of letters, digits and '_'");
    const key = this.#keys.id;
    const sign = after < end ? bytes[after] : 0;
    if ((sign !== COLON && sign !== EQUALS) || after + 1 >= end || bytes[after + 1] !== EQUALS) {
      this.fail(bytes, after, end, "':=' or '=='");
    }
    at = after + 2;
    if (sign === EQUALS && at < end && bytes[at] === QUESTION) {
      this.#builder.op(OpKind.Read, key, NIL);
      return at + 1;
    }
    const number = this.#number;
    const behind = number.read(bytes, at, end);
    if (behind === at) this.fail(bytes, at, end, sign === EQUALS ? "a version or '?'" : 'a version');
    if (behind === TOO_LONG) this.fail(bytes, at, end, 'a version below 2^64');
    const kind = sign === EQUALS ? OpKind.Read : OpKind.Write;
    this.#builder.op(kind, key, this.#values.id(number.hi, number.lo));
    if ((number.hi | number.lo) === 0) this.#zeros.see(kind, key);
    return behind;
  }

  #skipComment(bytes: Uint8Array, at: number, end: number): number {
    const feed = bytes.indexOf(LINE_FEED, at);
    const lineEnd = feed < 0 || feed > end ? end : feed;
    if (!isUtf8(bytes.subarray(at, lineEnd))) this.fail(bytes, at, end, 'a comment in UTF-8');
    return lineEnd;
  }

  protected override finish(): History {
    if (this.line === 0) throw unexpected(this.file, null, 'an empty file', 'transactions such as [x:=1]');
    if (this.#builder.transactions === 0) {
      throw unexpected(this.file, null, 'no transaction', 'at least one transaction such as [x:=1]');
    }
    return this.#zeros.finish();
  }
}

/** Interns names of variables, and numerals as integers. Finds a known name by its blocks of 8 bytes. */
class Variables {
  readonly #ids: Interner;
  readonly #blocks = new Interner();
  readonly #chains = new Interner(); // maps the chain so far and its next block to the longer chain
  readonly #idOfBlock: number[] = []; // for names of a single block
  readonly #idOfChain: number[] = [];
  id = 0;

  constructor(ids: Interner) {
    this.#ids = ids;
  }

  /** Reads a name and returns the position after it, or `first` if there is no name. */
  read(bytes: Uint8Array, first: number, end: number): number {
    let chain = -1;
    let hi = 0;
    let lo = 0;
    let at = first;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (WORD[byte] === 0) break;
      if (at === first + 8 || (chain >= 0 && ((at - first) & 7) === 0)) {
        chain = this.#chains.integer(chain, this.#blocks.integer(hi, lo));
        hi = lo = 0;
      }
      hi = (hi << 8) | (lo >>> 24);
      lo = (lo << 8) | byte;
    }
    if (at === first) return first;
    const block = this.#blocks.integer(hi, lo);
    const known = chain < 0 ? this.#idOfBlock : this.#idOfChain;
    const name = chain < 0 ? block : this.#chains.integer(chain, block);
    const id = (known[name] ??= this.#intern(bytes.subarray(first, at)));
    if (id === NO_NAME) return first;
    this.id = id;
    return at;
  }

  #intern(bytes: Uint8Array): number {
    const name = isUtf8(bytes) ? Buffer.from(bytes).toString('utf8') : '';
    if (isNumeral(name)) return this.#ids.bigint(BigInt(name));
    return isVariable(name) ? this.#ids.string(name) : NO_NAME;
  }
}

export const isVariable = (text: string): boolean => /^[\p{Alphabetic}\p{N}_]+$/u.test(text);
/**
 * Returns whether a name is treated as an integer: it has at most as many digits as a 64-bit number, and no leading
 * zero.
 */
export const isNumeral = (text: string): boolean => /^(?:0|[1-9]\d{0,19})$/.test(text);

function skipBlanks(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return at;
}

const [OPEN, CLOSE, BANG, COLON, EQUALS, QUESTION, MINUS, SLASH] = [0x5b, 0x5d, 0x21, 0x3a, 0x3d, 0x3f, 0x2d, 0x2f];
const [LINE_FEED, CARRIAGE_RETURN, SPACE, TAB] = [10, 13, 32, 9];
const NO_NAME = -1;
/** 1 for letters, digits and `_`, and for every byte that may belong to a letter or digit of another script. */
const WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /\w/.test(String.fromCharCode(byte)) ? 1 : 0,
);
