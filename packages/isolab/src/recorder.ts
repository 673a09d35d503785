import { type Atom, type History, HistoryBuilder, OpKind, TxnStatus, UNKNOWN, UNKNOWN_LIST } from '@isolab/history';
import { type Plain, RecordedLine, RecordingFile } from './recording-file.ts';

export interface RecorderOptions {
  /** Stands for the history in messages. */
  readonly name?: string;
  /** What every key holds at the beginning, beside null. */
  readonly initial?: number | bigint | null;
  /**
   * Appends the history to this new file, too, so that it is there when the process is killed. Then `committing` must be
   * called before COMMIT is sent, and a session has one transaction at a time.
   */
  readonly path?: string;
}

/**
 * Writes a history down in code, such as from the clients of a test of your own: transactions of several sessions may be
 * under way at once. Write a value to a key only once: then every read has one writer.
 */
export class Recorder {
  readonly #builder: HistoryBuilder;
  readonly #file: RecordingFile | null;
  /** By session, where there is a file: its last transaction. */
  readonly #last = new Map<number, RecordedTransaction>();
  #transactions = 0;

  constructor({ name = 'a recorded history', initial = null, path }: RecorderOptions = {}) {
    const value = atom(initial);
    if (typeof value === 'string') throw new RangeError(`initial is "${value}", expected a whole number or null.`);
    this.#builder = new HistoryBuilder({
      format: 'recorded',
      file: name,
      unit: 'record',
      initial: value as bigint | null,
    });
    this.#file = path === undefined ? null : new RecordingFile(path, value as bigint | null);
  }

  /**
   * Begins a session's next transaction. `called` is the time in nanoseconds, for the levels of real time. The outcome is
   * unknown until `commit` or `abort`.
   */
  begin(session: Plain, called?: bigint): RecordedTransaction {
    const builder = this.#builder;
    const number = builder.session(atom(session));
    if (this.#last.get(number)?.isOver === false)
      throw new Error(`Session ${session} has a transaction under way; end it first: commit, abort or unknown.`);
    const t = builder.begin(number, ++this.#transactions);
    builder.outcome(t, TxnStatus.Unknown);
    if (called !== undefined) builder.timeUnit = 'nanoseconds';
    const line = this.#file && new RecordedLine(this.#file, session, called);
    const transaction = new RecordedTransaction(builder, t, called, line);
    if (line !== null) this.#last.set(number, transaction);
    return transaction;
  }

  /** The history; nothing can be recorded after it. Transactions that are under way have an unknown outcome. */
  finish(): History {
    for (const transaction of this.#last.values()) if (!transaction.isOver) transaction.unknown();
    this.#file?.end();
    return this.#builder.finish();
  }
}

/** A transaction of a Recorder: what it reads and writes, in order, and how it ends. */
export class RecordedTransaction {
  readonly #builder: HistoryBuilder;
  readonly #t: number;
  readonly #called: bigint | undefined;
  /** Its line in the file, if there is one. */
  readonly #line: RecordedLine | null;
  #isOver = false;

  constructor(builder: HistoryBuilder, t: number, called: bigint | undefined, line: RecordedLine | null) {
    this.#builder = builder;
    this.#t = t;
    this.#called = called;
    this.#line = line;
    if (called !== undefined) builder.time(t, 'begin', called);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** A read and what it returned: null where there was nothing, undefined where the answer never came. */
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

  /** Adds an element to the end of a list. */
  append(key: Plain, element: Plain): this {
    this.#op(OpKind.Append, key, this.#builder.values.atom(atom(element)));
    this.#line?.op('append', key, element);
    return this;
  }

  /** A read of a whole list; undefined where the answer never came. */
  readList(key: Plain, elements: readonly Plain[] | undefined): this {
    const { keys, values, lists } = this.#builder;
    let node = elements === undefined ? UNKNOWN_LIST : 0;
    for (const element of elements ?? []) node = lists.extend(keys.atom(atom(key)), node, values.atom(atom(element)));
    this.#op(OpKind.ListRead, key, node);
    this.#line?.op('list', key, elements);
    return this;
  }

  /**
   * COMMIT is about to be sent: if nothing is heard of it any more, its outcome is unknown. Writes the transaction to the
   * file of the recorder, if there is one.
   */
  committing(): this {
    this.#insistUnderWay();
    this.#insistNotCommitting();
    this.#line?.open();
    return this;
  }

  /** It committed; `returned`, in nanoseconds, is when its client knew. */
  commit(returned?: bigint): void {
    if (this.#line?.isOpen === false)
      throw new Error('This transaction is not in the file yet; call committing() before COMMIT is sent.');
    this.#end('committed', returned);
  }

  /** It is undone, and its client knows. */
  abort(returned?: bigint): void {
    this.#end('aborted', returned);
  }

  /** Its client will never learn whether it committed. */
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
    if (returned !== undefined && (this.#called === undefined || returned < this.#called))
      throw new RangeError(
        `A transaction cannot return at ${returned}: it was called at ${this.#called ?? 'no known time'}.`,
      );
    this.#isOver = true;
    this.#builder.outcome(this.#t, outcome === 'committed' ? TxnStatus.Committed : TxnStatus.Aborted);
    if (returned !== undefined) this.#builder.time(this.#t, 'end', returned);
    this.#line?.end(outcome, returned);
  }

  #insistNotCommitting(): void {
    if (this.#line?.isOpen === true)
      throw new Error('This transaction is in the file already; nothing but its outcome can follow.');
  }

  #insistUnderWay(): void {
    if (this.#isOver) throw new Error('This transaction is over; begin another one.');
  }
}

function atom(value: Plain): Atom {
  if (typeof value !== 'number') return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new RangeError(`A key or value is ${value}, expected a text, a bigint or a whole number.`);
}
