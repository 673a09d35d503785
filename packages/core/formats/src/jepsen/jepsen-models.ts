import {
  type Atom,
  Exchange,
  type HistoryBuilder,
  OPEN_BOUND,
  OpKind,
  TxnStatus,
  UNKNOWN_VALUE,
} from '@isolab/history';
import { FormatError, mismatch, unexpected } from '../files/errors.ts';
import { type Datum, OPAQUE } from './jepsen-event.ts';

/**
 * Operations of Jepsen histories that are not transactions. An operation on one object becomes a transaction of one
 * operation:
 * - `read`, `write`, `cas` on a register, the key "register", initially nil. A failed `cas` is one that found another
 * value than expected, and so took place. If an error is stated, or if reads or writes of the history fail without an
 * error, failure only means that the operation did not happen, as it does for all other operations.
 * - `acquire`, `release` of a lock, the key "mutex": compare-and-sets of "free", the initial state, to "held", and
 * back. A failed operation is aborted and gives no information about the lock, because it may only have waited too
 * long.
 * - `add` or `write` and `read` on a set: a key for each element, absent until written, and a read of the range of all
 * keys. Unless a read is ok, its transaction is empty, because a range read cannot have an unknown result.
 * - `add` and `read` on a counter, `transfer` and `read` on a bank, and sets of several keys: reads and writes cannot
 * express these (a transfer writes balances that it does not report). Their transactions stay, with times and outcomes,
 * but are empty; a note counts them.
 */
export function addModelCalls(builder: HistoryBuilder, calls: readonly ModelCall[], file: string): void {
  const functions = new Set(calls.map(({ f }) => f));
  const areAmong = (...names: string[]): boolean => [...functions].every((f) => names.includes(f));
  const readsSequences = calls.some(({ f, completed }) => f === 'read' && Array.isArray(completed));
  const writesAtoms = calls.every(({ f, invoked }) => f === 'read' || isValue(invoked));
  const readsMaps = calls.some(({ f, completed }) => f === 'read' && completed === OPAQUE);
  const models = new ModelBuilder(builder, file);
  if (readsSequences && writesAtoms && (areAmong('read', 'write') || areAmong('read', 'add'))) models.addSet(calls);
  else if (areAmong('read', 'write', 'cas') && !readsMaps) models.addRegister(calls);
  else if (areAmong('acquire', 'release')) models.addMutex(calls);
  else if (areAmong('read', 'add') || areAmong('read', 'transfer')) builder.note('unmodelledOperations', calls.length);
  else {
    const { f, line } = calls.find((call) => !KNOWN.includes(call.f)) ?? calls[0];
    throw unexpected(file, `line ${line}`, `the operation ${f}`, EXPECTED);
  }
}

/** An operation that is not a transaction, with the outcome of its transaction `t`. */
export interface ModelCall {
  readonly t: number;
  readonly line: number;
  readonly f: string;
  readonly invoked: Datum;
  /** Null also if the completion is missing. */
  readonly completed: Datum;
  readonly status: number;
  readonly hasError: boolean;
}

class ModelBuilder {
  readonly #builder: HistoryBuilder;
  readonly #file: string;

  constructor(builder: HistoryBuilder, file: string) {
    this.#builder = builder;
    this.#file = file;
  }

  addRegister(calls: readonly ModelCall[]): void {
    const builder = this.#builder;
    const key = builder.keys.string('register');
    const failsForNoReason = ({ f, status, hasError }: ModelCall): boolean =>
      f !== 'cas' && status === TxnStatus.Aborted && !hasError;
    const tellsComparison = !calls.some(failsForNoReason);
    for (const call of calls) {
      const { t, f, invoked, completed, status, hasError } = call;
      builder.resume(t);
      if (f === 'read') {
        builder.op(OpKind.Read, key, status === TxnStatus.Committed ? this.#value(call, completed) : UNKNOWN_VALUE);
        continue;
      }
      this.#checkCompletion(call);
      if (f === 'write') {
        builder.op(OpKind.Write, key, this.#value(call, invoked));
        continue;
      }
      if (!Array.isArray(invoked) || invoked.length !== 2)
        this.#fail(call, 'something else', 'two values to compare and set');
      const [expected, written] = [this.#value(call, invoked[0]), this.#value(call, invoked[1])];
      const repeatsValue = completed === null || Array.isArray(completed); // instead of a reason
      const isComparison = status === TxnStatus.Aborted && tellsComparison && !hasError && repeatsValue;
      if (isComparison) builder.outcome(t, TxnStatus.Committed);
      builder.exchange(OpKind.CompareAndSet, key, expected, written, isComparison ? Exchange.Failed : 0);
    }
  }

  addMutex(calls: readonly ModelCall[]): void {
    const { keys, values } = this.#builder;
    const key = keys.string('mutex');
    const free = values.string('free');
    const held = values.string('held');
    this.#builder.initialOf(key, free);
    for (const { t, f } of calls) {
      this.#builder.resume(t);
      const [expected, written] = f === 'acquire' ? [free, held] : [held, free];
      this.#builder.exchange(OpKind.CompareAndSet, key, expected, written);
    }
  }

  addSet(calls: readonly ModelCall[]): void {
    const { keys, values } = this.#builder;
    for (const call of calls) {
      const { t, f, invoked, completed, status } = call;
      this.#builder.resume(t);
      if (f !== 'read') {
        this.#checkCompletion(call);
        this.#builder.op(OpKind.Write, keys.atom(invoked as Atom), values.atom(invoked as Atom));
      } else if (status === TxnStatus.Committed) {
        if (!Array.isArray(completed)) this.#fail(call, 'something else', 'the elements of the set, as in other reads');
        this.#builder.range(OPEN_BOUND, OPEN_BOUND);
        for (const element of completed as readonly Datum[]) {
          if (!isValue(element)) this.#fail(call, 'an element that is not a single value', 'a single value');
          this.#builder.row(keys.atom(element), values.atom(element));
        }
      }
    }
  }

  #checkCompletion(call: ModelCall): void {
    const { invoked, completed, status } = call;
    if (status !== TxnStatus.Committed || completed === null || sameDatum(invoked, completed)) return;
    this.#fail(call, 'a completion with a different value', 'the invoked value');
  }

  #value(call: ModelCall, datum: Datum): number {
    if (datum !== null && !isValue(datum))
      this.#fail(call, 'a value of the wrong form', 'an integer or another single value');
    return this.#builder.values.atom(datum);
  }

  #fail({ f, line }: ModelCall, found: string, expected: string): never {
    throw new FormatError(this.#file, `line ${line}`, `${f}: ${mismatch(found, expected)}`);
  }
}

/** Returns whether a datum is a single value: not nil, a sequence or a map. */
const isValue = (datum: Datum): datum is Exclude<Atom, null> =>
  datum !== null && datum !== OPAQUE && !Array.isArray(datum);

export function sameDatum(a: Datum, b: Datum): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => sameDatum(item as Datum, b[i] as Datum));
  return 'text' in a && 'text' in b && a.type === b.type && a.text === b.text;
}

const KNOWN = ['read', 'write', 'cas', 'acquire', 'release', 'add', 'transfer'];
const EXPECTED =
  'transactions (txn), or one of: a register (read, write, cas), a mutex (acquire, release), a set (add, read), a counter (add, read), a bank (transfer, read)';
