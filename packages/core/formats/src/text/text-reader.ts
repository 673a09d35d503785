import {
  type Atoms,
  type BuilderPart,
  type History,
  HistoryBuilder,
  Interner,
  OpKind,
  TxnStatus,
} from '@isolab/history';
import { quoteBytes, unexpected } from '../files/errors.ts';
import type { ByteStream } from '../files/input.ts';
import { DecimalReader, TOO_LONG } from '../syntax/unsigned.ts';

/** A later part of a file, for the reader of the earlier part. Its transactions have interned ids of their own. */
export interface TextPart {
  readonly built: BuilderPart;
  readonly lines: number;
  readonly txnIds: Atoms;
  /** Builder’s transaction, session and first line of each interned id. */
  readonly txnOfId: Int32Array;
  readonly sessionOfId: Int32Array;
  readonly firstLine: Float64Array;
  /** Interned id of the last line's transaction, or −1. */
  readonly current: number;
}

export class TextReader {
  readonly #file: string;
  readonly #builder: HistoryBuilder;
  readonly #txnIds = new Interner();
  readonly #txnOfId: number[] = []; // builder's transaction for each interned id
  readonly #sessionOfId: number[] = [];
  readonly #firstLine: number[] = []; // by interned id
  #line = 0;
  #current = -1; // interned id of the current transaction
  #resumed = false;
  // End of the previous line: its session, transaction and line feed. Kept for the next line of the transaction, which
  // usually ends alike.
  readonly #ending = new Uint8Array(64);
  #endingLength = 0;
  // Result of readNumber; a number of more than 63 bits is in #long.
  readonly #number = new DecimalReader();
  #long: bigint | null = null;
  readonly #key = new Natural();
  readonly #value = new Natural();

  constructor({ name, share }: ByteStream) {
    this.#file = name;
    this.#builder = new HistoryBuilder({ format: 'text', file: name, unit: 'line', opStride: 1, initial: 0n, share });
  }

  readLines(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end;) {
      this.#line++;
      const isOperation = bytes[at] === LETTER_R || bytes[at] === LETTER_W;
      at = isOperation ? this.#readOperation(bytes, at, end) : this.#skipBlankLine(bytes, at, end);
    }
  }

  /** Reads one line, and returns the position after it. A separate function is optimized sooner than a loop. */
  #readOperation(bytes: Uint8Array, begin: number, end: number): number {
    const builder = this.#builder;
    if (bytes[begin + 1] !== OPEN) this.#fail(bytes, begin + 1, end, begin, "'('");
    let at = this.#readNumber(bytes, begin + 2, end, begin, COMMA, 'the key, a natural number');
    this.#key.copy(this.#number, this.#long);
    at = this.#readNumber(bytes, at, end, begin, COMMA, 'the value, a natural number');
    this.#value.copy(this.#number, this.#long);
    const kind = bytes[begin] === LETTER_R ? OpKind.Read : OpKind.Write;
    const ending = this.#ending;
    const length = this.#endingLength;
    let same = 0;
    while (same < length && bytes[at + same] === ending[same]) same++;
    if (same === 0 || same < length || at + same > end) return this.#readEnding(bytes, at, end, begin, kind);
    this.#addOperation(kind);
    if (this.#resumed) builder.opAt(this.#line - this.#firstLine[this.#current]!);
    return at + same;
  }

  #addOperation(kind: number): void {
    const builder = this.#builder;
    const key = this.#key;
    const value = this.#value;
    if (key.long === null && value.long === null) builder.integerOp(kind, key.hi, key.lo, value.hi, value.lo);
    else builder.op(kind, key.internIn(builder.keys), value.internIn(builder.values));
  }

  #internIn(ids: Interner): number {
    return this.#long === null ? ids.integer(this.#number.hi, this.#number.lo) : ids.bigint(this.#long);
  }

  /** Reads the session, the transaction and the end of the line, and returns the position after it. */
  #readEnding(bytes: Uint8Array, first: number, end: number, begin: number, kind: number): number {
    this.#endingLength = 0;
    let at = this.#readNumber(bytes, first, end, begin, COMMA, 'the session, a natural number');
    const session = this.#internIn(this.#builder.sessions);
    if (bytes[at] === MINUS) {
      at = this.#readAborted(bytes, at, end, begin, kind, session);
      return this.#endLine(bytes, at, end, begin);
    }
    at = this.#readNumber(bytes, at, end, begin, CLOSE, 'the transaction, a natural number or -1');
    const id = this.#internIn(this.#txnIds);
    if (id !== this.#current) this.#enter(id, session);
    else if (session !== this.#sessionOfId[id]) this.#failSession(id, session);
    this.#addOperation(kind);
    if (this.#resumed) this.#builder.opAt(this.#line - this.#firstLine[id]!);
    at = this.#endLine(bytes, at, end, begin);
    if (at - first <= this.#ending.length && bytes[at - 1] === LINE_FEED) {
      const length = (this.#endingLength = at - first);
      for (let i = 0; i < length; i++) this.#ending[i] = bytes[first + i]!;
    }
    return at;
  }

  /** Reads digits and the byte that must follow them, and returns the position after it. */
  #readNumber(bytes: Uint8Array, at: number, end: number, begin: number, closing: number, what: string): number {
    const number = this.#number;
    let after = number.read(bytes, at, end);
    this.#long = null;
    if (after === TOO_LONG || number.hi < 0) {
      after = at;
      while (after < end && bytes[after]! >= ZERO && bytes[after]! <= NINE) after++;
      this.#long = BigInt(Buffer.from(bytes.subarray(at, after)).toString('latin1'));
    }
    if (after === at) this.#fail(bytes, at, end, begin, what);
    if (bytes[after] !== closing || after >= end)
      this.#fail(bytes, after, end, begin, `a digit or '${String.fromCharCode(closing)}'`);
    return after + 1;
  }

  /** Reads the rest of a line whose transaction is negative. */
  #readAborted(bytes: Uint8Array, at: number, end: number, begin: number, kind: number, session: number): number {
    if (bytes[at + 1] !== ZERO + 1 || bytes[at + 2] !== CLOSE)
      this.#fail(bytes, at, end, begin, 'a natural number or -1');
    this.#current = -1;
    if (kind === OpKind.Read) {
      this.#builder.note('readsOfAbortedTransactions');
      this.#key.internIn(this.#builder.keys);
      this.#value.internIn(this.#builder.values);
    } else {
      this.#builder.outcome(this.#builder.begin(session, this.#line), TxnStatus.Aborted);
      this.#addOperation(OpKind.Write);
    }
    return at + 3;
  }

  /** Switches to the transaction with this interned id, which may be new or interrupted by other lines. */
  #enter(id: number, session: number): void {
    this.#current = id;
    const known = this.#txnOfId[id];
    this.#resumed = known !== undefined;
    if (known !== undefined) {
      if (session !== this.#sessionOfId[id]) this.#failSession(id, session);
      this.#builder.resume(known);
      return;
    }
    const t = this.#builder.begin(session, this.#line);
    if (this.#long === null) this.#builder.nameInteger(t, this.#number.hi, this.#number.lo);
    else this.#builder.name(t, this.#long);
    this.#txnOfId[id] = t;
    this.#sessionOfId[id] = session;
    this.#firstLine[id] = this.#line;
  }

  #endLine(bytes: Uint8Array, at: number, end: number, begin: number): number {
    if (bytes[at] === CARRIAGE_RETURN && at < end) at++;
    if (at >= end) return at;
    if (bytes[at] !== LINE_FEED) this.#fail(bytes, at, end, begin, 'the end of the line');
    return at + 1;
  }

  #skipBlankLine(bytes: Uint8Array, begin: number, end: number): number {
    let at = begin;
    while (at < end && bytes[at] !== LINE_FEED) {
      if (bytes[at] !== SPACE && bytes[at] !== TAB && bytes[at] !== CARRIAGE_RETURN)
        this.#fail(bytes, at, end, begin, "'r(' or 'w('");
      at++;
    }
    return at + 1;
  }

  #fail(bytes: Uint8Array, at: number, end: number, begin: number, expected: string): never {
    let lineEnd = begin;
    while (lineEnd < end && bytes[lineEnd] !== LINE_FEED) lineEnd++;
    const found = at >= lineEnd ? 'the end of the line' : quoteBytes(bytes, at, lineEnd);
    throw unexpected(this.#file, `line ${this.#line}, column ${at - begin + 1}`, found, expected);
  }

  #failSession(id: number, session: number): never {
    const { sessions } = this.#builder;
    const [name, here, there] = [
      this.#txnIds.integerAt(id),
      sessions.integerAt(session),
      sessions.integerAt(this.#sessionOfId[id]!),
    ];
    throw unexpected(
      this.#file,
      `line ${this.#line}`,
      `transaction ${name} in session ${here}`,
      `session ${there}, as on line ${this.#firstLine[id]}; transactions need different numbers`,
    );
  }

  /** Returns the later part of the file that was read; null if it has more than whole transactions of their own. */
  part(): TextPart | null {
    const built = this.#builder.part();
    if (built === null) return null;
    return {
      built,
      lines: this.#line,
      txnIds: this.#txnIds.finish(),
      txnOfId: Int32Array.from(this.#txnOfId),
      sessionOfId: Int32Array.from(this.#sessionOfId),
      firstLine: Float64Array.from(this.#firstLine),
      current: this.#current,
    };
  }

  /** Appends the next part of the file. Returns false, and changes no operation, if its lines must be read again here. */
  append({ built, lines, txnIds, txnOfId, sessionOfId, firstLine, current }: TextPart): boolean {
    if (!this.#builder.isAppendable) return false;
    const firstId = this.#txnIds.size;
    const ids = this.#txnIds.addAll(txnIds);
    if (ids.some((id, i) => id !== firstId + i)) return false;
    const firstTxn = this.#builder.transactions;
    const sessions = this.#builder.append(built, this.#line);
    for (let i = 0; i < ids.length; i++) {
      this.#txnOfId[firstId + i] = firstTxn + txnOfId[i]!;
      this.#sessionOfId[firstId + i] = sessions[sessionOfId[i]!]!;
      this.#firstLine[firstId + i] = this.#line + firstLine[i]!;
    }
    this.#line += lines;
    this.#current = current < 0 ? current : firstId + current;
    this.#resumed = false;
    this.#endingLength = 0;
    return true;
  }

  finish(): History {
    if (this.#builder.transactions === 0) {
      throw unexpected(this.#file, null, 'no operation', 'lines such as r(1,0,0,0)');
    }
    return this.#builder.finish();
  }
}

/** A number that was read: its halves, or a number of more than 63 bits. */
class Natural {
  hi = 0;
  lo = 0;
  long: bigint | null = null;

  copy({ hi, lo }: DecimalReader, long: bigint | null): void {
    this.hi = hi;
    this.lo = lo;
    this.long = long;
  }

  internIn(ids: Interner): number {
    return this.long === null ? ids.integer(this.hi, this.lo) : ids.bigint(this.long);
  }
}

/**
 * Returns the first place from `at` on, the begin of a line, whose line ends with another session or transaction than
 * the line before, so that no transaction is cut there; −1 if there is none.
 */
export function placeBetweenTransactions(bytes: Uint8Array, at: number): number {
  let before = '';
  for (let begin = at, feed = bytes.indexOf(LINE_FEED, at); feed >= 0; feed = bytes.indexOf(LINE_FEED, begin)) {
    const line = Buffer.from(bytes.subarray(begin, feed)).toString('latin1');
    const ending = line.split(',').slice(2).join(',');
    if (before !== '' && ending !== before) return begin;
    before = ending;
    begin = feed + 1;
  }
  return -1;
}

export const LONGEST_LINE = 1 << 12;
const [LETTER_R, LETTER_W, OPEN, CLOSE, COMMA, MINUS] = [0x72, 0x77, 0x28, 0x29, 0x2c, 0x2d];
const [ZERO, NINE, LINE_FEED, CARRIAGE_RETURN, SPACE, TAB] = [0x30, 0x39, 10, 13, 32, 9];
