import {
  type History,
  HistoryBuilder,
  Interner,
  OpKind,
  type TransactionId,
  TxnStatus,
  atomOf,
  countKeys,
  countTransactions,
  foldInitialTransaction,
  namesOnlyCount,
} from '@isolab/history';
import { type Capabilities, anyInteger, lossesOf, naturals, spelling } from './format/capabilities.ts';
import { quoteBytes, unexpected } from './files/errors.ts';
import { type Loss, defineFormat } from './format/format.ts';
import type { ByteStream } from './files/input.ts';
import type { Output } from './files/output.ts';
import { DecimalReader, TOO_LONG } from './syntax/unsigned.ts';
import { readLineWindows } from './files/windows.ts';
import { registerOperations } from './format/register-operations.ts';

/**
 * The text format of PolySI, Plume and IsoVista: one operation per line, `r(key,value,session,transaction)` or `w(…)`.
 * Every key is initially 0. Transaction −1 marks operations of aborted transactions; only their writes count.
 */
export const text = defineFormat<ByteStream>({
  name: 'text',
  aliases: ['polysi', 'plume', 'isovista'],
  title: 'r(k,v,s,t) lines of PolySI, Plume and IsoVista',
  layout: 'stream',
  fileName: '*.txt',
  matches: ({ head }) => /^\s*[rw]\(\d+,\d+,/.test(firstText(head)),
  read: async (input, { initialTransaction = 'stated' }) => {
    const reader = new TextReader(input);
    await readLineWindows(input, (bytes, start, end) => reader.readLines(bytes, start, end), LONGEST_LINE);
    const history = reader.finish();
    return initialTransaction === 'stated' ? withoutConventionalInitialTransaction(history) : history;
  },
  writer: async () => ({
    losses: (history) => withMistakableTransaction(lossesOf(history, CAPABILITIES), history),
    write,
  }),
});

const CAPABILITIES: Capabilities = {
  aborted: 'writes',
  sessionNames: naturals,
  transactionNames: (name) => anyInteger(name) && name !== ABORTED,
  keys: naturals,
  values: naturals,
  initial: 0n,
};

class TextReader {
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

async function write(history: History, output: Output): Promise<void> {
  const { txnSession, txnStatus, txnNames, sessionNames } = history;
  const operationsOf = registerOperations(history, naturals, naturals);
  const session = spelling(sessionNames, naturals, 0n);
  const name =
    txnNames && !namesOnlyCount(txnNames)
      ? spelling(txnNames, (atom) => anyInteger(atom) && atom !== ABORTED, 1n)
      : (t: number) => BigInt(t);
  const sink = await output.file();
  for (let t = 0; t < countTransactions(history); t++) {
    if (txnStatus[t] === TxnStatus.Unknown) continue;
    const aborted = txnStatus[t] === TxnStatus.Aborted;
    const end = `,${session(txnSession[t]!)},${aborted ? ABORTED : name(t)})\n`;
    for (const { isWrite, key, value } of operationsOf(t))
      if (isWrite || !aborted) await sink.write(`${isWrite ? 'w' : 'r'}(${key},${value ?? 0n}${end}`);
  }
  await sink.close();
}

const firstText = (head: Uint8Array): string => Buffer.from(head.subarray(0, LONGEST_LINE)).toString('latin1');

const LONGEST_LINE = 1 << 12;
const ABORTED = -1n;
const [LETTER_R, LETTER_W, OPEN, CLOSE, COMMA, MINUS] = [0x72, 0x77, 0x28, 0x29, 0x2c, 0x2d];
const [ZERO, NINE, LINE_FEED, CARRIAGE_RETURN, SPACE, TAB] = [0x30, 0x39, 10, 13, 32, 9];

/**
 * Removes IsoVista's explicit initial transaction: transaction 0 of session 0, first and alone, writes 0 to every key.
 */
function withoutConventionalInitialTransaction(history: History): History {
  const { sessionNames, txnNames } = history;
  if (!hasConventionalShape(history)) return history;
  if (atomOf(sessionNames, 0) !== 0n || (txnNames !== null && atomOf(txnNames, 0) !== 0n)) return history;
  const folded = foldInitialTransaction(history, 0 as TransactionId).history;
  return { ...folded, source: { ...folded.source, notes: { ...folded.source.notes, initialTransactions: 1 } } };
}

/** Adds to the losses a first transaction that would look like the initial transaction. */
function withMistakableTransaction(losses: readonly Loss[], history: History): readonly Loss[] {
  if (!hasConventionalShape(history)) return losses;
  return [...losses, { name: 'initial-values', count: 1, fate: 'become the initial state, with their transaction' }];
}

function hasConventionalShape(history: History): boolean {
  const { sessionStart, txnStart, txnStatus, txnPosition, opKind, opKey, opValue, values } = history;
  if (txnStatus.length < 2 || sessionStart[1] !== 1 || txnStatus[0] !== TxnStatus.Committed) return false;
  const written = new Set<number>();
  for (let op = 0; op < txnStart[1]!; op++) {
    if (opKind[op] !== OpKind.Write || atomOf(values, opValue[op]!) !== 0n) return false;
    written.add(opKey[op]!);
  }
  return written.size > 0 && written.size === countKeys(history) && !txnPosition.some((at) => at < txnPosition[0]!);
}
