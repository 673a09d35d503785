import {
  type Atom,
  type History,
  HistoryBuilder,
  NO_TIME,
  OpKind,
  type TransactionTime,
  TxnStatus,
  UNKNOWN,
  UNKNOWN_LIST,
} from '@isolab/history';
import { type Plain, RecordedLine, RecordingFile } from './recording-file.ts';

export interface RecorderOptions {
  /** Name of the history in messages. */
  readonly name?: string;
  /** Initial value of every key; null if absent. */
  readonly initial?: number | bigint | null;
  /** Largest difference between the clocks of recorded times, in nanoseconds; 0 (a single clock) if absent. */
  readonly drift?: number;
  /**
   * New file to which the history is appended as well, so that it survives the process. Then `committing` must be
   * called before COMMIT is sent, and a session can have only one transaction at a time.
   */
  readonly path?: string;
}

/**
 * Records a history in code, for example from the clients of a test. Transactions of several sessions may be
 * concurrent. Write each value to a key only once, so that every read has a unique writer.
 */
export class Recorder {
  readonly #builder: HistoryBuilder;
  readonly #file: RecordingFile | null;
  /** Last transaction of each session, if there is a file. */
  readonly #last = new Map<number, RecordedTransaction>();
  #transactions = 0;

  constructor({ name = 'a recorded history', initial = null, drift = 0, path }: RecorderOptions = {}) {
    const value = atom(initial);
    if (typeof value === 'string') throw new RangeError(`initial is "${value}", expected a whole number or null.`);
    this.#builder = new HistoryBuilder({
      format: 'recorded',
      file: name,
      unit: 'record',
      initial: value as bigint | null,
    });
    if (!Number.isSafeInteger(drift) || drift < 0)
      throw new RangeError(`drift is ${drift}, expected a whole number of nanoseconds, 0 or more.`);
    this.#builder.drift = drift;
    this.#file = path === undefined ? null : new RecordingFile(path, value as bigint | null, drift);
  }

  /**
   * Begins a session's next transaction. `called` is the time in nanoseconds, for real-time levels. The outcome is
   * unknown until `commit` or `abort`.
   */
  begin(session: Plain, called?: bigint): RecordedTransaction {
    const builder = this.#builder;
    const number = builder.session(atom(session));
    if (this.#last.get(number)?.isOver === false)
      throw new Error(`Session ${session} has a transaction in progress; end it first with commit, abort or unknown.`);
    const t = builder.begin(number, ++this.#transactions);
    builder.outcome(t, TxnStatus.Unknown);
    const line = this.#file && new RecordedLine(this.#file, session);
    const transaction = new RecordedTransaction(builder, t, line, called);
    if (line !== null) this.#last.set(number, transaction);
    return transaction;
  }

  /** Returns the history and ends the recording. Transactions in progress have an unknown outcome. */
  finish(): History {
    for (const transaction of this.#last.values()) if (!transaction.isOver) transaction.unknown();
    this.#file?.end();
    return this.#builder.finish();
  }
}

/** A transaction of a Recorder: its reads and writes, in order, and its outcome. */
export class RecordedTransaction {
  readonly #builder: HistoryBuilder;
  readonly #t: number;
  readonly #line: RecordedLine | null;
  readonly #times = new Map<TransactionTime, bigint>();
  #isOver = false;

  constructor(builder: HistoryBuilder, t: number, line: RecordedLine | null, called: bigint | undefined) {
    this.#builder = builder;
    this.#t = t;
    this.#line = line;
    if (called !== undefined) this.#time('begin', called);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Records a read and its result: null for an absent value, undefined if there was no answer. */
  read(key: Plain, value: Plain | undefined): this {
    this.#op(OpKind.Read, key, this.#builder.values.atom(value === undefined ? UNKNOWN : atom(value)));
    this.#line?.op('r', key, value);
    return this;
  }

  write(key: Plain, value: Plain): this {
    this.#op(OpKind.Write, key, this.#builder.values.atom(atom(value)));
    this.#line?.op('w', key, value);
    return this;
  }

  /** Records that an element was appended to a list. */
  append(key: Plain, element: Plain): this {
    this.#op(OpKind.Append, key, this.#builder.values.atom(atom(element)));
    this.#line?.op('append', key, element);
    return this;
  }

  /** Records a read of a whole list; undefined if there was no answer. */
  readList(key: Plain, elements: readonly Plain[] | undefined): this {
    const { keys, values, lists } = this.#builder;
    let node = elements === undefined ? UNKNOWN_LIST : 0;
    for (const element of elements ?? []) node = lists.extend(keys.atom(atom(key)), node, values.atom(atom(element)));
    this.#op(OpKind.ListRead, key, node);
    this.#line?.op('list', key, elements);
    return this;
  }

  /** Records the time of the answer to the first external read, before which the database took its snapshot. */
  answered(time: bigint): this {
    this.#insistNotCommitting();
    return this.#time('begun', time);
  }

  /**
   * Records that COMMIT is about to be sent, at the time `asked`; without a later call, the outcome is unknown. Writes
   * the transaction to the recorder's file, if there is one.
   */
  committing(asked?: bigint): this {
    this.#insistUnderWay();
    this.#insistNotCommitting();
    if (asked !== undefined) this.#time('committing', asked);
    this.#line?.open();
    return this;
  }

  /**
   * Records that the transaction committed; `returned` is the time in nanoseconds at which the client received the
   * answer.
   */
  commit(returned?: bigint): void {
    if (this.#line?.isOpen === false)
      throw new Error('This transaction is not in the file yet; call committing() before COMMIT is sent.');
    this.#end('committed', returned);
  }

  /** Records that the transaction was rolled back, and that its client knows. */
  abort(returned?: bigint): void {
    this.#end('aborted', returned);
  }

  /** Records that the client will never learn whether the transaction committed. */
  unknown(): void {
    this.#insistUnderWay();
    this.#isOver = true;
    if (this.#line?.isOpen === false) this.#line.open();
  }

  #op(kind: number, key: Plain, value: number): void {
    this.#insistUnderWay();
    this.#insistNotCommitting();
    const builder = this.#builder;
    builder.resume(this.#t);
    builder.op(kind, builder.keys.atom(atom(key)), value);
  }

  #end(outcome: 'committed' | 'aborted', returned: bigint | undefined): void {
    this.#insistUnderWay();
    if (returned !== undefined) this.#time('end', returned);
    this.#isOver = true;
    this.#builder.outcome(this.#t, outcome === 'committed' ? TxnStatus.Committed : TxnStatus.Aborted);
    this.#line?.end(outcome);
  }

  #time(field: TransactionTime, time: bigint): this {
    this.#insistUnderWay();
    if (field === 'begun' && this.#times.has(field)) return this; // only the first answer counts
    this.#times.set(field, time);
    this.#builder.time(this.#t, field, time);
    const reversed = this.#builder.reversedTimes(this.#t);
    if (reversed !== null) {
      this.#builder.time(this.#t, field, NO_TIME);
      const [first, second] = reversed.map((column) => `${column} is ${this.#times.get(column)}`);
      this.#times.delete(field);
      throw new RangeError(`The times of a transaction are out of order: ${second}, and ${first}.`);
    }
    this.#builder.timeUnit = 'nanoseconds';
    this.#line?.time(field, time);
    return this;
  }

  #insistNotCommitting(): void {
    if (this.#line?.isOpen === true)
      throw new Error('This transaction is in the file already; only its outcome can follow.');
  }

  #insistUnderWay(): void {
    if (this.#isOver) throw new Error('This transaction is over; begin another one.');
  }
}

function atom(value: Plain): Atom {
  if (typeof value !== 'number') return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new RangeError(`A key or value is ${value}, expected a string, a bigint or a whole number.`);
}
