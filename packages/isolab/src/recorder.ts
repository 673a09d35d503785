import { type Atom, type History, HistoryBuilder, OpKind, TxnStatus, UNKNOWN, UNKNOWN_LIST } from '@isolab/history';

/** A key, a value or the name of a session. Numbers must be whole; null is no value, as in the initial state. */
export type Plain = string | number | bigint | null;

export interface RecorderOptions {
  /** Stands for the history in messages. */
  readonly name?: string;
  /** What every key holds at the beginning, beside null. */
  readonly initial?: number | bigint | null;
}

/**
 * Writes a history down in code, such as from the clients of a test of your own: transactions of several sessions may be
 * under way at once. Write a value to a key only once: then every read has one writer.
 */
export class Recorder {
  readonly #builder: HistoryBuilder;
  #transactions = 0;

  constructor({ name = 'a recorded history', initial = null }: RecorderOptions = {}) {
    const value = atom(initial);
    if (typeof value === 'string') throw new RangeError(`initial is "${value}", expected a whole number or null.`);
    this.#builder = new HistoryBuilder({
      format: 'recorded',
      file: name,
      unit: 'record',
      initial: value as bigint | null,
    });
  }

  /**
   * Begins a session's next transaction. `called` is the time in nanoseconds, for the levels of real time. The outcome is
   * unknown until `commit` or `abort`.
   */
  begin(session: Plain, called?: bigint): RecordedTransaction {
    const builder = this.#builder;
    const t = builder.begin(builder.session(atom(session)), ++this.#transactions);
    builder.outcome(t, TxnStatus.Unknown);
    if (called !== undefined) builder.timeUnit = 'nanoseconds';
    return new RecordedTransaction(builder, t, called);
  }

  /** The history; nothing can be recorded after it. */
  finish(): History {
    return this.#builder.finish();
  }
}

export class RecordedTransaction {
  readonly #builder: HistoryBuilder;
  readonly #t: number;
  readonly #called: bigint | undefined;
  #isOver = false;

  constructor(builder: HistoryBuilder, t: number, called: bigint | undefined) {
    this.#builder = builder;
    this.#t = t;
    this.#called = called;
    if (called !== undefined) builder.time(t, 'begin', called);
  }

  /** A read and what it returned: null where there was nothing, undefined where the answer never came. */
  read(key: Plain, value: Plain | undefined): this {
    return this.#op(OpKind.Read, key, this.#builder.values.atom(value === undefined ? UNKNOWN : atom(value)));
  }

  write(key: Plain, value: Plain): this {
    return this.#op(OpKind.Write, key, this.#builder.values.atom(atom(value)));
  }

  /** Adds an element to the end of a list. */
  append(key: Plain, element: Plain): this {
    return this.#op(OpKind.Append, key, this.#builder.values.atom(atom(element)));
  }

  /** A read of a whole list; undefined where the answer never came. */
  readList(key: Plain, elements: readonly Plain[] | undefined): this {
    const { keys, values, lists } = this.#builder;
    let node = elements === undefined ? UNKNOWN_LIST : 0;
    for (const element of elements ?? []) node = lists.extend(keys.atom(atom(key)), node, values.atom(atom(element)));
    return this.#op(OpKind.ListRead, key, node);
  }

  /** It committed; `returned`, in nanoseconds, is when its client knew. */
  commit(returned?: bigint): void {
    this.#end(TxnStatus.Committed, returned);
  }

  /** It is undone, and its client knows. */
  abort(returned?: bigint): void {
    this.#end(TxnStatus.Aborted, returned);
  }

  #op(kind: number, key: Plain, value: number): this {
    this.#insistUnderWay();
    const builder = this.#builder;
    builder.resume(this.#t);
    builder.op(kind, builder.keys.atom(atom(key)), value);
    return this;
  }

  #end(status: number, returned: bigint | undefined): void {
    this.#insistUnderWay();
    if (returned !== undefined && (this.#called === undefined || returned < this.#called))
      throw new RangeError(
        `A transaction cannot return at ${returned}: it was called at ${this.#called ?? 'no known time'}.`,
      );
    this.#isOver = true;
    this.#builder.outcome(this.#t, status);
    if (returned !== undefined) this.#builder.time(this.#t, 'end', returned);
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
