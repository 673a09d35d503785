import { valueRead, valueWritten } from './entries.ts';
import { type History, countKeys, countOperations, transactionOf } from './history.ts';
import { EMPTY_LIST, OpKind, TxnStatus, UNKNOWN_LIST, UNKNOWN_VALUE } from '../columns/operation.ts';
import { TransactionCursor } from './key-groups.ts';
import { Versions, Written } from './versions.ts';
import type { IdColumn, KeyId, OperationId, TransactionId } from '../columns/ids.ts';

/** Sources of reads other than writes. */
export const ReadFrom = {
  /** The key's initial state. */
  Initial: -1,
  /** A value that was never written. */
  ThinAir: -2,
  /** A value that several transactions may have written last; the actual writer is a choice. */
  Ambiguous: -3,
  /** No source in this index: not a read, a result never received, or a string built by appends. */
  None: -4,
} as const;

/** Whether a transaction took place. */
export const Outcome = {
  /** It did not, or nothing shows that it did; any level that holds with it also holds without it. */
  Left: 0,
  /** It committed, or a transaction that took place read from it. */
  Happened: 1,
  /** Unknown, and among several possible sources of a read: a choice. */
  Open: 2,
} as const;

/**
 * Returns whether a transaction took place in every explanation of a history; reads by other transactions refute
 * nothing.
 */
export const hasHappened = ({ outcome }: Pick<ReadFromIndex, 'outcome'>, t: TransactionId): boolean =>
  outcome[t] === Outcome.Happened;

/** Returns whether an explanation of a history may need a transaction that did not abort. */
export function mayHaveHappened({ outcome }: Pick<ReadFromIndex, 'outcome'>): (t: TransactionId) => boolean {
  // A transaction that happens by choice may have read from other transactions.
  const isOpen = outcome.includes(Outcome.Open);
  return (t) => isOpen || outcome[t] !== Outcome.Left;
}

/** Index from every read to the write that it saw. Built once and shared by all checkers. */
export interface ReadFromIndex {
  /**
   * Source of every reading operation: the operation that wrote the value (possibly an earlier write of the same
   * transaction) or a ReadFrom. For a list read, the append of the last element before the reader's own appends.
   */
  readonly readFrom: IdColumn<OperationId>;
  /** Source of every row of a range read. */
  readonly rowReadFrom: IdColumn<OperationId>;
  /** Append of the last element of every list node, or a ReadFrom. */
  readonly nodeAppend: IdColumn<OperationId>;
  /** An Outcome for every transaction. */
  readonly outcome: Uint8Array;
  /** Number of writes that repeat a value of their key; 0 if all values are unique. */
  readonly repeatedWrites: number;
  /** First write whose value is written to the same key again, or -1. */
  readonly firstRepeated: number;
  /** Reads that took place and whose writer is a choice. */
  readonly ambiguousReads: number;
  /**
   * 1 for a transaction with a register read that may show an internal anomaly: the read saw an unwritten, aborted or
   * overwritten value, a value that its own transaction overwrote or writes later, or a value different from its
   * earlier read of the key.
   */
  readonly isOdd: Uint8Array;
  /** Number of reads of aborted or overwritten values by such transactions. */
  readonly spoiltReads: number;
}

/** Returns the transactions that happened, in ascending order. */
export function happenedTransactions(outcome: Uint8Array): IdColumn<TransactionId> {
  const txns = new Int32Array(outcome.length);
  let count = 0;
  for (let t = 0; t < outcome.length; t++) if (outcome[t] === Outcome.Happened) txns[count++] = t;
  return txns.slice(0, count) as IdColumn<TransactionId>;
}

export function buildReadFrom(history: History): ReadFromIndex {
  const resolver = new Resolver(history);
  resolver.resolveAll();
  return resolver.finish();
}

class Resolver {
  readonly #history: History;
  readonly #versions: Versions;
  readonly #readFrom: Int32Array;
  readonly #rowReadFrom: Int32Array;
  readonly #nodeAppend: Int32Array;
  // For each key: the last transaction that wrote it, plus 1, and its latest write; and the last transaction that read
  // it before its own first write, plus 1, and the value that it saw.
  readonly #latest: Int32Array;
  readonly #isOdd: Uint8Array;
  #spoiltReads = 0;
  #ambiguousReads = 0; // of registers in committed transactions
  #someNodeAmbiguous = false;

  constructor(history: History) {
    this.#history = history;
    this.#versions = new Versions(history);
    this.#readFrom = new Int32Array(countOperations(history)).fill(ReadFrom.None);
    this.#rowReadFrom = new Int32Array(history.ranges.rowKey.length).fill(ReadFrom.None);
    this.#nodeAppend = new Int32Array(history.lists.parent.length).fill(ReadFrom.None);
    this.#latest = new Int32Array(STRIDE * countKeys(history));
    this.#isOdd = new Uint8Array(history.txnStatus.length);
  }

  resolveAll(): void {
    const { order } = this.#versions;
    if (order === null) {
      // V8 optimizes a function for one transaction sooner than a loop over all transactions.
      for (let t = 0 as TransactionId; t < this.#isOdd.length; t++) this.#resolveTransaction(t);
      return;
    }
    const txns = new TransactionCursor(this.#history);
    const { op, kind, key, value } = order;
    for (let i = 0; i < op.length; i++) this.#resolve(op[i], txns.of(op[i]), kind[i], key[i], value[i]);
  }

  #resolveTransaction(t: TransactionId): void {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++)
      this.#resolve(op, t, opKind[op], opKey[op], opValue[op]);
  }

  #resolve(op: OperationId, t: TransactionId, kind: number, key: KeyId, value: number): void {
    if (kind === OpKind.Write) {
      const at = STRIDE * key;
      this.#latest[at + WRITER] = t + 1;
      this.#latest[at + WRITE] = op;
    } else if (kind === OpKind.Read) {
      this.#readFrom[op] = this.#writeSeen(t, key, value);
    } else {
      this.#resolveOther(op, t);
    }
  }

  #resolveOther(op: OperationId, t: TransactionId): void {
    const { opKind, opKey, opValue } = this.#history;
    if (opKind[op] === OpKind.ListRead) this.#resolveList(op, t);
    else if (opKind[op] === OpKind.RangeRead) this.#resolveRows(opValue[op], t);
    else if (opKind[op] !== OpKind.Append) {
      const value = valueRead(this.#history, op);
      if (value < 0) return;
      this.#readFrom[op] = this.#writeSeen(t, opKey[op], value);
      this.#latest[STRIDE * opKey[op] + WRITER] = t + 1;
      this.#latest[STRIDE * opKey[op] + WRITE] = op;
    }
  }

  #resolveRows(range: number, t: TransactionId): void {
    const { rowStart, rowKey, rowValue } = this.#history.ranges;
    for (let row = rowStart[range]; row < rowStart[range + 1]; row++) {
      this.#rowReadFrom[row] = this.#writeSeen(t, rowKey[row], rowValue[row]);
    }
  }

  /** Returns the write of `value` to `key` that transaction `t` sees at this point of its program. */
  #writeSeen(t: TransactionId, key: KeyId, value: number): number {
    const latest = this.#latest;
    const at = STRIDE * key;
    if (latest[at + WRITER] === t + 1) {
      const own = latest[at + WRITE];
      if (valueWritten(this.#history, own) === value) return own;
      this.#isOdd[t] = 1;
    } else if (latest[at + READER] !== t + 1) {
      latest[at + READER] = t + 1;
      latest[at + SEEN] = value;
    } else if (latest[at + SEEN] !== value) {
      this.#isOdd[t] = 1;
    }
    if (value === UNKNOWN_VALUE) return ReadFrom.None;
    // A register with appends is a string; the sources of its reads cannot be looked up.
    if (this.#versions.isAppended[key] !== 0) return ReadFrom.None;
    const initial = this.#isInitial(key, value);
    const found = this.#versions.find(key, value);
    if (found > 0) {
      if (this.#isOf(t, found - 1)) this.#isOdd[t] = 1;
      return initial ? this.#initialOr(found - 1, t) : found - 1;
    }
    if (found < 0) return this.#oneOfSeveral(-found - 1, t, initial);
    if (initial) return ReadFrom.Initial;
    this.#isOdd[t] = 1;
    return ReadFrom.ThinAir;
  }

  /** Resolves in the same way a version whose best write is `write`, but which has several candidates. */
  #oneOfSeveral(write: number, t: TransactionId, initial: boolean): number {
    const written = this.#versions.written(write);
    if (written < Written.Once) {
      if (initial) return ReadFrom.Initial;
      this.#isOdd[t] = 1;
      this.#spoiltReads++;
      return write;
    }
    if (written === Written.Twice && !initial) {
      const second = this.#versions.second(write);
      if (this.#isOf(t, write)) return second;
      if (this.#isOf(t, second)) return write;
    }
    return this.#ambiguous(t);
  }

  #ambiguous(reader: TransactionId): number {
    if (this.#history.txnStatus[reader] === TxnStatus.Committed) this.#ambiguousReads++;
    return ReadFrom.Ambiguous;
  }

  #isInitial(key: KeyId, value: number): boolean {
    return value === this.#history.keyInitial[key];
  }

  #isOf(t: TransactionId, op: number): boolean {
    return op >= this.#history.txnStart[t] && op < this.#history.txnStart[t + 1];
  }

  /** Resolves a read of the key's initial value, which one transaction wrote as well. */
  #initialOr(write: number, reader: TransactionId): number {
    const writer = transactionOf(this.#history, write as OperationId);
    if (writer === reader) return ReadFrom.Initial; // its own write comes later
    this.#versions.isContested[writer] = 1;
    return this.#ambiguous(reader);
  }

  #resolveList(op: OperationId, t: TransactionId): void {
    const { opKey, opValue, lists, txnStart } = this.#history;
    if (opValue[op] === UNKNOWN_LIST) return;
    const nodeAppend = this.#nodeAppend;
    for (let node = opValue[op]; node !== EMPTY_LIST && nodeAppend[node] === ReadFrom.None; node = lists.parent[node]) {
      nodeAppend[node] = this.#appendOf(opKey[op], lists.element[node]);
    }
    // If the list already shows an element of the reader further in front, the element at the end was not appended by the reader.
    let node = opValue[op];
    let behind: number = op;
    const first = txnStart[t];
    while (node !== EMPTY_LIST && nodeAppend[node] >= first && nodeAppend[node] < behind) {
      behind = nodeAppend[node];
      node = lists.parent[node];
    }
    this.#readFrom[op] = node === EMPTY_LIST ? ReadFrom.Initial : nodeAppend[node];
  }

  #appendOf(key: KeyId, element: number): number {
    const found = this.#versions.find(key, element);
    if (found === 0) return ReadFrom.ThinAir;
    const append = Math.abs(found) - 1;
    if (this.#versions.written(append) <= Written.Once) return append;
    this.#someNodeAmbiguous = true;
    return ReadFrom.Ambiguous;
  }

  finish(): ReadFromIndex {
    const { outcome, ambiguousReads } = this.#outcomes();
    return {
      readFrom: this.#readFrom as IdColumn<OperationId>,
      rowReadFrom: this.#rowReadFrom as IdColumn<OperationId>,
      nodeAppend: this.#nodeAppend as IdColumn<OperationId>,
      outcome,
      repeatedWrites: this.#versions.repeatedWrites,
      firstRepeated: this.#versions.firstRepeated,
      ambiguousReads,
      isOdd: this.#isOdd,
      spoiltReads: this.#spoiltReads,
    };
  }

  /** Determines outcomes: a transaction of unknown outcome happened if a transaction that happened read from it. */
  #outcomes(): { outcome: Uint8Array; ambiguousReads: number } {
    const { txnStatus } = this.#history;
    const outcome = new Uint8Array(txnStatus.length);
    const someUnknown = txnStatus.includes(TxnStatus.Unknown);
    if (!someUnknown && !this.#someNodeAmbiguous) {
      for (let t = 0; t < outcome.length; t++) if (txnStatus[t] === TxnStatus.Committed) outcome[t] = Outcome.Happened;
      return { outcome, ambiguousReads: this.#ambiguousReads };
    }
    const found: TransactionId[] = [];
    let ambiguousReads = 0;
    const saw = (write: number): void => {
      if (write === ReadFrom.Ambiguous) ambiguousReads++;
      if (write < 0 || !someUnknown) return;
      const writer = transactionOf(this.#history, write as OperationId);
      if (txnStatus[writer] === TxnStatus.Unknown && outcome[writer] === Outcome.Left) {
        outcome[writer] = Outcome.Happened;
        found.push(writer);
      }
    };
    const seenNode = new Uint8Array(this.#history.lists.parent.length);
    for (let t = 0 as TransactionId; t < outcome.length; t++) {
      if (txnStatus[t] !== TxnStatus.Committed) continue;
      outcome[t] = Outcome.Happened;
      this.#visitReads(t, seenNode, saw);
    }
    for (let t = found.pop(); t !== undefined; t = found.pop()) this.#visitReads(t, seenNode, saw);
    if (ambiguousReads > 0) this.#leaveOpen(outcome);
    return { outcome, ambiguousReads };
  }

  #leaveOpen(outcome: Uint8Array): void {
    const { txnStatus } = this.#history;
    for (let t = 0; t < outcome.length; t++) {
      const open = txnStatus[t] === TxnStatus.Unknown && outcome[t] === Outcome.Left && this.#versions.isContested[t];
      if (open) outcome[t] = Outcome.Open;
    }
  }

  /** Passes every write that a transaction saw to `saw`; for a list, all appends that no earlier visit has passed. */
  #visitReads(t: TransactionId, seenNode: Uint8Array, saw: (write: number) => void): void {
    const { txnStart, opKind, opValue, ranges, lists } = this.#history;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] === OpKind.ListRead) {
        for (let node = opValue[op]; node > EMPTY_LIST && seenNode[node] === 0; node = lists.parent[node]) {
          seenNode[node] = 1;
          saw(this.#nodeAppend[node]);
        }
      } else if (opKind[op] === OpKind.RangeRead) {
        for (let row = ranges.rowStart[opValue[op]]; row < ranges.rowStart[opValue[op] + 1]; row++)
          saw(this.#rowReadFrom[row]);
      } else if (opKind[op] !== OpKind.Write) {
        saw(this.#readFrom[op]);
      }
    }
  }
}

// Offsets of a key's data in `#latest`.
const WRITER = 0;
const WRITE = 1;
const READER = 2;
const SEEN = 3;
const STRIDE = 4;
