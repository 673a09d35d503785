import { valueRead, valueWritten } from './entries.ts';
import { type History, transactionOf } from './history.ts';
import { EMPTY_LIST, OpKind, TxnStatus, UNKNOWN_LIST, UNKNOWN_VALUE } from '../columns/operation.ts';
import { type KeyRange, TransactionCursor } from './key-groups.ts';
import { ReadFrom, type ReadFromIndex } from './read-from.ts';
import { Versions, Written } from './versions.ts';
import type { KeyId, OperationId, TransactionId } from '../columns/ids.ts';

/** Columns of an index. Each resolver writes the entries of its keys. */
export interface IndexColumns {
  readonly readFrom: Int32Array;
  readonly rowReadFrom: Int32Array;
  readonly nodeAppend: Int32Array;
  readonly isOdd: Uint8Array;
  readonly isContested: Uint8Array;
}

/** Counts of the operations on some keys. */
export type IndexCounts = Pick<ReadFromIndex, 'repeatedWrites' | 'firstRepeated' | 'ambiguousReads' | 'spoiltReads'> & {
  readonly someNodeAmbiguous: boolean;
};

/** Part of an index: its history, its keys, and the columns that all parts share. */
export interface IndexPart {
  readonly history: History;
  readonly keys: KeyRange | null;
  readonly columns: IndexColumns;
}

/** Indexes the operations on some keys. */
export function indexPart({ history, keys, columns }: IndexPart): IndexCounts {
  const resolver = new Resolver(history, new Versions(history, keys, columns.isContested), columns);
  resolver.resolveAll();
  return resolver.counts();
}

/** Finds the write that each read saw, from the entered writes. */
export class Resolver {
  readonly #history: History;
  readonly #versions: Versions;
  readonly #readFrom: Int32Array;
  readonly #rowReadFrom: Int32Array;
  readonly #nodeAppend: Int32Array;
  // For each key: the last transaction that wrote it, plus 1, and its latest write; and the last transaction that read
  // it before its own first write, plus 1, and the value that it saw.
  readonly #latest: Int32Array;
  readonly #isOdd: Uint8Array;
  readonly #isContested: Uint8Array;
  #spoiltReads = 0;
  #ambiguousReads = 0; // of registers in committed transactions
  #someNodeAmbiguous = false;

  constructor(history: History, versions: Versions, columns: IndexColumns) {
    this.#history = history;
    this.#versions = versions;
    this.#readFrom = columns.readFrom;
    this.#rowReadFrom = columns.rowReadFrom;
    this.#nodeAppend = columns.nodeAppend;
    this.#latest = new Int32Array(STRIDE * history.keyInitial.length);
    this.#isOdd = columns.isOdd;
    this.#isContested = columns.isContested;
  }

  resolveAll(): void {
    const { order } = this.#versions;
    if (order === null) {
      this.resolve(0 as TransactionId, this.#isOdd.length);
      return;
    }
    const txns = new TransactionCursor(this.#history);
    const { op, kind, key, value } = order;
    for (let i = 0; i < op.length; i++) this.#resolveOne(op[i], txns.of(op[i]), kind[i], key[i], value[i]);
  }

  /** Resolves the reads of some transactions. */
  resolve(first: TransactionId, end: number): void {
    // V8 optimizes a function for one transaction sooner than a loop over all transactions.
    for (let t = first; t < end; t++) this.#resolveTransaction(t);
  }

  #resolveTransaction(t: TransactionId): void {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++)
      this.#resolveOne(op, t, opKind[op], opKey[op], opValue[op]);
  }

  #resolveOne(op: OperationId, t: TransactionId, kind: number, key: KeyId, value: number): void {
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
    this.#isContested[writer] = 1;
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

  counts(): IndexCounts {
    const { repeatedWrites, firstRepeated } = this.#versions;
    const [ambiguousReads, spoiltReads] = [this.#ambiguousReads, this.#spoiltReads];
    return { repeatedWrites, firstRepeated, ambiguousReads, spoiltReads, someNodeAmbiguous: this.#someNodeAmbiguous };
  }
}

// Offsets of a key's data in `#latest`.
const WRITER = 0;
const WRITE = 1;
const READER = 2;
const SEEN = 3;
const STRIDE = 4;
