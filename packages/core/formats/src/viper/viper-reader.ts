import { Exchange, type History, HistoryBuilder, OpKind, TxnStatus, joinInteger } from '@isolab/history';
import { unexpected } from '../files/errors.ts';
import { JsonReader } from '../syntax/json.ts';
import { SyntaxProblem } from '../syntax/problem.ts';
import { withInferredInitialValues } from './viper-initial.ts';
import { OperationReader, type OperationSink } from './viper-operations.ts';

/**
 * Reads the logs of a history one after the other: {@link beginFile}, {@link readLines} for each window, {@link
 * endFile}.
 */
export class ViperReader {
  readonly #directory: string;
  readonly #builder: HistoryBuilder;
  readonly #json = new JsonReader();
  readonly #operations: OperationReader;
  readonly #transaction: Transaction;
  readonly #initialState: InitialState;
  #isInitialTold = false;

  #file = '';
  #number = 0n;
  #session = -1; // none before the first transaction
  #line = 0;
  #isFirst = true; // only blank lines so far

  // State of the line.
  #inInitial = false; // the line states the initial state and is not a transaction
  #txn = -1;

  constructor(directory: string) {
    this.#directory = directory;
    this.#builder = new HistoryBuilder({ format: 'viper-json', file: directory, unit: 'line' });
    this.#operations = new OperationReader(this.#json, this.#builder.keys, this.#builder.values);
    this.#transaction = new Transaction(this.#builder);
    this.#initialState = new InitialState(this.#builder);
  }

  beginFile(file: string, session: bigint): void {
    this.#file = file;
    this.#number = session;
    this.#session = -1;
    this.#line = 0;
    this.#isFirst = true;
  }

  endFile(): void {
    if (this.#isFirst) this.#openSession(); // the client committed nothing
  }

  /** Reads whole lines. Fails with a SyntaxProblem, which knows the line. */
  readLines(bytes: Uint8Array, start: number, end: number): void {
    const json = this.#json;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, end);
    const markFrom = (from: number): number => {
      const mark = text.indexOf(INITIAL_MARK, from);
      return mark < 0 ? end : mark;
    };
    let mark = markFrom(start); // start of the next line, which may be initial
    for (let at = start; at < end;) {
      const feed = text.indexOf(LINE_FEED, at);
      const lineEnd = feed < 0 ? end : feed;
      if (mark < at) mark = markFrom(at);
      this.#line++;
      json.reset(bytes, at, lineEnd, this.#line);
      if (json.peek() !== 'end') {
        this.#inInitial = mark < lineEnd && this.#looksInitial();
        if (mark < lineEnd) json.reset(bytes, at, lineEnd, this.#line);
        this.#readLine();
        json.finish();
        this.#isFirst = false;
      }
      at = lineEnd + 1;
    }
  }

  #openSession(): void {
    this.#session = this.#builder.session(this.#number);
    this.#builder.sessionFile(this.#session, this.#file);
  }

  /** Returns whether the line states that it is the initial transaction, which it may do after its operations. */
  #looksInitial(): boolean {
    const json = this.#json;
    let initial = false;
    json.beginObject();
    for (let field = json.nextKey(); field !== undefined; field = json.nextKey()) {
      if (field === 'isInitial') initial = json.readBoolean();
      else json.skipValue();
    }
    return initial;
  }

  #readLine(): void {
    const json = this.#json;
    if (this.#inInitial) this.#beginInitial();
    else {
      if (this.#session < 0) this.#openSession();
      this.#txn = this.#builder.begin(this.#session, this.#line);
    }
    let hasValue = false;
    let isFinal = false;
    json.beginObject();
    for (let field = json.nextKey(); field !== undefined; field = json.nextKey()) {
      switch (field) {
        case 'value':
          if (hasValue) this.#fail('"value" a second time', 'one list of operations');
          hasValue = true;
          this.#operations.readAll(this.#inInitial ? this.#initialState : this.#transaction);
          break;
        case 'preBeginTS':
          this.#readTime('begin');
          break;
        case 'postCommitTS':
          this.#readTime('end');
          break;
        case 'isInitial':
          if (json.readBoolean() !== this.#inInitial) this.#fail('"isInitial" a second time', '"isInitial" once');
          break;
        case 'isFinal':
          isFinal = json.readBoolean();
          break;
        default:
          json.skipValue();
      }
    }
    if (!hasValue) this.#fail('a transaction without "value"', 'its operations in "value"');
    if (this.#operations.sawAbort) this.#abort();
    // A final transaction comes last in its session, but the log does not place it last in real time, so it is
    // ordinary.
    if (isFinal || this.#operations.sawFinal) this.#builder.note('finalTransactions');
  }

  #abort(): void {
    if (this.#inInitial) this.#fail('an initial transaction that aborted', 'an initial transaction that committed');
    this.#builder.outcome(this.#txn, TxnStatus.Aborted);
  }

  #beginInitial(): void {
    if (this.#isInitialTold) this.#fail('a second initial transaction', 'one');
    if (!this.#isFirst)
      this.#fail('an initial transaction after others', 'the initial transaction on the first line of its file');
    this.#isInitialTold = true;
  }

  /**
   * Reads the outermost two of the client's four times: begin and commit may have taken effect at any time between
   * them.
   */
  #readTime(column: 'begin' | 'end'): void {
    const json = this.#json;
    if (!json.readInteger()) this.#fail(`the time ${json.integer()}`, 'a time of at most 64 bits');
    if (this.#inInitial) return;
    this.#builder.timeUnit = 'nanoseconds';
    this.#builder.time(this.#txn, column, joinInteger(json.hi, json.lo));
  }

  finish(): History {
    if (this.#builder.transactions === 0) {
      throw unexpected(this.#directory, null, 'no transaction', 'lines such as {"value": [["r", 1, 0, false]]}');
    }
    const history = this.#builder.finish();
    return this.#isInitialTold ? history : withInferredInitialValues(history, this.#transaction.failed);
  }

  #fail(found: string, expected: string): never {
    throw new SyntaxProblem(this.#json.place(), found, expected);
  }
}

/** Collects the operations of transactions, without failed statements, which are updates that found no row. */
class Transaction implements OperationSink {
  readonly failed: [key: number, value: number][] = [];
  readonly #builder: HistoryBuilder;

  constructor(builder: HistoryBuilder) {
    this.#builder = builder;
  }

  read(key: number, value: number): void {
    this.#builder.op(OpKind.Read, key, value);
  }

  write(key: number, value: number, succeeded: boolean): void {
    if (succeeded) this.#builder.op(OpKind.Write, key, value);
    else this.#fail(key, value);
  }

  exchange(kind: 'i' | 'd', key: number, observed: number, written: number, isDead: boolean, succeeded: boolean): void {
    if (!succeeded) return this.#fail(key, written);
    const flags = isDead ? Exchange.FoundTombstone : 0;
    this.#builder.exchange(kind === 'i' ? OpKind.Insert : OpKind.Delete, key, observed, written, flags);
  }

  range(low: number, high: number, live: readonly number[], dead: readonly number[]): void {
    this.#builder.range(low, high);
    for (let i = 0; i < live.length; i += 2) this.#builder.row(live[i], live[i + 1]);
    for (let i = 0; i < dead.length; i += 2) this.#builder.row(dead[i], dead[i + 1], true);
  }

  #fail(key: number, value: number): void {
    this.failed.push([key, value]);
    this.#builder.note('failedStatements');
  }
}

/**
 * Collects the operations that state the initial state, which clients write or read; failed operations state nothing.
 */
class InitialState implements OperationSink {
  readonly #builder: HistoryBuilder;

  constructor(builder: HistoryBuilder) {
    this.#builder = builder;
  }

  read(key: number, value: number): void {
    this.#builder.initialOf(key, value);
  }

  write(key: number, value: number, succeeded: boolean): void {
    if (succeeded) this.read(key, value);
    else this.#builder.note('failedStatements');
  }

  exchange(
    _kind: 'i' | 'd',
    key: number,
    _observed: number,
    written: number,
    _isDead: boolean,
    succeeded: boolean,
  ): void {
    this.write(key, written, succeeded);
  }

  range(_low: number, _high: number, live: readonly number[], dead: readonly number[]): void {
    for (const rows of [live, dead]) for (let i = 0; i < rows.length; i += 2) this.read(rows[i], rows[i + 1]);
  }
}

const INITIAL_MARK = 'isInitial';
const LINE_FEED = 10;
