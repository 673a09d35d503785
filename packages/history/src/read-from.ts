import { type Entries, entriesByKey, valueRead, valueWritten } from './entries.ts';
import { type History, countKeys, countOperations, countTransactions, countValues } from './history.ts';
import { EMPTY_LIST, NIL, OpKind, TxnStatus, UNKNOWN_LIST, UNKNOWN_VALUE } from './operation.ts';

/** What a read saw, where it is not a write. */
export const ReadFrom = {
  /** The key's initial state. */
  Initial: -1,
  /** A value that nothing wrote. */
  ThinAir: -2,
  /** A value that several transactions may have been the last to write: it takes a choice to say which. */
  Ambiguous: -3,
  /** Nothing that this index can name: not a read, a result never learned, or a string made by appends. */
  None: -4,
} as const;

/** Whether a transaction took place. */
export const Outcome = {
  /** It did not, or nothing shows that it did: a level that holds with it holds without it. */
  Left: 0,
  /** It committed, or a transaction that took place read from it. */
  Happened: 1,
  /** Unknown, and one of several that a read may have seen: it takes a choice. */
  Open: 2,
} as const;

/** For every read the write that it saw; built once, shared by all checkers. */
export interface ReadFromIndex {
  /**
   * For every operation that reads: the operation that wrote what it saw, or a ReadFrom. A read of the transaction's
   * own earlier write names that write. A list read names the append of its last element that is not the
   * transaction's own.
   */
  readonly readFrom: Int32Array;
  /** The same for every row of a range read. */
  readonly rowReadFrom: Int32Array;
  /** For every list node the append of its last element, or a ReadFrom. */
  readonly nodeAppend: Int32Array;
  /** An Outcome for every transaction. */
  readonly outcome: Uint8Array;
  /** How often a value was written to a key once more; 0 when all values are unique. */
  readonly repeatedWrites: number;
  /** The first operation that repeats a value, or -1. */
  readonly firstRepeat: number;
  /** Reads that took place and whose writer is a choice. */
  readonly ambiguousReads: number;
}

export function buildReadFrom(history: History, entries: Entries = entriesByKey(history)): ReadFromIndex {
  const resolver = new Resolver(history, entries);
  for (let key = 0; key < countKeys(history); key++) resolver.resolveKey(key);
  return resolver.finish();
}

// The scratch table has one record for each value, valid for the key whose stamp it bears.
const STAMP = 0; // key + 1
const STATE = 1; // how many final writes of transactions that may have happened; or one of the two below
const FIRST = 2; // a write of the value
const SECOND = 3; // another one, when STATE is at least 2
const RECORD = 4;
const ONLY_ABORTED = -1;
const ONLY_INTERMEDIATE = -2;

class Resolver {
  readonly #history: History;
  readonly #entries: Entries;
  readonly #writers: Int32Array;
  readonly #readFrom: Int32Array;
  readonly #rowReadFrom: Int32Array;
  readonly #nodeAppend: Int32Array;
  readonly #contested: Uint8Array; // 1 for a transaction of unknown outcome whose write is one of several candidates
  #repeatedWrites = 0;
  #firstRepeat = -1;

  constructor(history: History, entries: Entries) {
    this.#history = history;
    this.#entries = entries;
    this.#writers = new Int32Array(RECORD * countValues(history));
    this.#readFrom = new Int32Array(countOperations(history)).fill(ReadFrom.None);
    this.#rowReadFrom = new Int32Array(history.ranges.rowKey.length).fill(ReadFrom.None);
    this.#nodeAppend = new Int32Array(history.lists.parent.length).fill(ReadFrom.None);
    this.#contested = new Uint8Array(countTransactions(history));
  }

  resolveKey(key: number): void {
    const { appends, lists } = this.#collectWrites(key);
    if (lists) this.#resolveLists(key);
    // A register that is appended to is a string; what a read of it saw cannot be looked up.
    if (!appends) this.#resolveReads(key);
  }

  /** Backwards, so that the first write of a transaction that we meet is its final one. */
  #collectWrites(key: number): { appends: boolean; lists: boolean } {
    const { opKind, txnStatus } = this.#history;
    const { keyStart, entry, txnOfOp } = this.#entries;
    const numOps = opKind.length;
    const writers = this.#writers;
    const stamp = key + 1;
    let lastTxn = -1;
    let appends = false;
    let lists = false;
    for (let i = keyStart[key + 1] - 1, first = keyStart[key]; i >= first; i--) {
      const op = entry[i];
      if (op >= numOps || opKind[op] === OpKind.Read) continue;
      if (opKind[op] === OpKind.ListRead) lists = true;
      const value = valueWritten(this.#history, op);
      if (value < 0) continue;

      const t = txnOfOp[op];
      const isAppend = opKind[op] === OpKind.Append;
      if (isAppend) appends = true;
      const final = isAppend || t !== lastTxn; // every append stays in the list
      lastTxn = t;

      const record = RECORD * value;
      if (writers[record + STAMP] !== stamp) {
        writers[record + STAMP] = stamp;
        writers[record + STATE] = 0;
      } else {
        this.#repeatedWrites++;
        if (this.#firstRepeat < 0 || op < this.#firstRepeat) this.#firstRepeat = op;
      }
      const state = writers[record + STATE];
      if (txnStatus[t] === TxnStatus.Aborted || !final) {
        if (state > 0) continue;
        if (txnStatus[t] !== TxnStatus.Aborted) writers[record + STATE] = ONLY_INTERMEDIATE;
        else if (state !== ONLY_INTERMEDIATE) writers[record + STATE] = ONLY_ABORTED;
        else continue;
        writers[record + FIRST] = op;
      } else if (state <= 0) {
        writers[record + STATE] = 1;
        writers[record + FIRST] = op;
      } else {
        if (state === 1) writers[record + SECOND] = op;
        this.#contest(writers[record + FIRST]);
        this.#contest(op);
        writers[record + STATE] = state + 1;
      }
    }
    return { appends, lists };
  }

  #contest(write: number): void {
    this.#contested[this.#entries.txnOfOp[write]] = 1;
  }

  #resolveReads(key: number): void {
    const history = this.#history;
    const { opKind } = history;
    const { keyStart, entry, rowOp, txnOfOp } = this.#entries;
    const numOps = opKind.length;
    let lastTxn = -1;
    let ownWrite = -1; // the transaction's latest write so far
    for (let i = keyStart[key], end = keyStart[key + 1]; i < end; i++) {
      const e = entry[i];
      const t = txnOfOp[e < numOps ? e : rowOp[e - numOps]];
      if (t !== lastTxn) {
        lastTxn = t;
        ownWrite = -1;
      }
      const value = valueRead(history, e);
      if (value >= 0) {
        const own = ownWrite >= 0 && valueWritten(history, ownWrite) === value;
        const writer = own ? ownWrite : this.#writerSeen(key, value, t);
        if (e < numOps) this.#readFrom[e] = writer;
        else this.#rowReadFrom[e - numOps] = writer;
      }
      if (valueWritten(history, e) >= 0) ownWrite = e;
    }
  }

  /** Which write of `value` to `key` the transaction `reader` saw, its own latest one apart. */
  #writerSeen(key: number, value: number, reader: number): number {
    if (value === UNKNOWN_VALUE) return ReadFrom.None;
    const writers = this.#writers;
    const record = RECORD * value;
    const initial = this.#isInitial(key, value);
    if (writers[record + STAMP] !== key + 1) return initial ? ReadFrom.Initial : ReadFrom.ThinAir;

    const { txnOfOp } = this.#entries;
    const state = writers[record + STATE];
    const first = writers[record + FIRST];
    if (state <= 0) return initial ? ReadFrom.Initial : first;
    if (state === 1) {
      if (!initial) return first;
      if (this.#writesInitialStates(txnOfOp[first])) return first;
      return this.#mustFollow(txnOfOp[first], reader) ? ReadFrom.Initial : this.#open(first);
    }
    if (state === 2 && !initial) {
      const second = writers[record + SECOND];
      if (txnOfOp[first] === reader) return second;
      if (txnOfOp[second] === reader) return first;
    }
    return ReadFrom.Ambiguous;
  }

  #isInitial(key: number, value: number): boolean {
    return value === NIL || value === this.#history.keyInitial[key];
  }

  #open(write: number): number {
    this.#contest(write);
    return ReadFrom.Ambiguous;
  }

  /** Whether session order puts `writer` behind (or makes it the same as) `reader`. */
  #mustFollow(writer: number, reader: number): boolean {
    return writer >= reader && this.#history.txnSession[writer] === this.#history.txnSession[reader];
  }

  /**
   * Whether a transaction is the explicit initial transaction of a file: alone in its session, it does nothing but
   * write to keys the value that their initial state has anyway.
   */
  #writesInitialStates(t: number): boolean {
    const { sessionStart, txnSession, txnStart, opKind, opKey, opValue } = this.#history;
    const session = txnSession[t];
    if (sessionStart[session + 1] - sessionStart[session] !== 1) return false;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Write || !this.#isInitial(opKey[op], opValue[op])) return false;
    }
    return true;
  }

  #resolveLists(key: number): void {
    const { opKind, opValue, lists } = this.#history;
    const { keyStart, entry, txnOfOp } = this.#entries;
    const nodeAppend = this.#nodeAppend;
    for (let i = keyStart[key], end = keyStart[key + 1]; i < end; i++) {
      const op = entry[i];
      if (opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) continue;
      for (
        let node = opValue[op];
        node !== EMPTY_LIST && nodeAppend[node] === ReadFrom.None;
        node = lists.parent[node]
      ) {
        nodeAppend[node] = this.#appendOf(key, lists.element[node]);
      }
      let node = opValue[op];
      const own = (append: number): boolean => append >= 0 && append < op && txnOfOp[append] === txnOfOp[op];
      while (node !== EMPTY_LIST && own(nodeAppend[node])) node = lists.parent[node];
      this.#readFrom[op] = node === EMPTY_LIST ? ReadFrom.Initial : nodeAppend[node];
    }
  }

  #appendOf(key: number, element: number): number {
    const record = RECORD * element;
    if (this.#writers[record + STAMP] !== key + 1) return ReadFrom.ThinAir;
    return this.#writers[record + STATE] >= 2 ? ReadFrom.Ambiguous : this.#writers[record + FIRST];
  }

  finish(): ReadFromIndex {
    const { outcome, ambiguousReads } = this.#outcomes();
    return {
      readFrom: this.#readFrom,
      rowReadFrom: this.#rowReadFrom,
      nodeAppend: this.#nodeAppend,
      outcome,
      repeatedWrites: this.#repeatedWrites,
      firstRepeat: this.#firstRepeat,
      ambiguousReads,
    };
  }

  /** A transaction of unknown outcome happened if one that happened read from it. */
  #outcomes(): { outcome: Uint8Array; ambiguousReads: number } {
    const { txnStatus, txnStart, opKind, opValue, ranges, lists } = this.#history;
    const { txnOfOp } = this.#entries;
    const readFrom = this.#readFrom;
    const nodeAppend = this.#nodeAppend;
    const outcome = new Uint8Array(txnStatus.length);
    const found: number[] = [];
    let ambiguousReads = 0;
    const seenNode = new Uint8Array(lists.parent.length);
    const saw = (write: number): void => {
      if (write === ReadFrom.Ambiguous) ambiguousReads++;
      if (write < 0) return;
      const writer = txnOfOp[write];
      if (txnStatus[writer] === TxnStatus.Unknown && outcome[writer] === Outcome.Left) {
        outcome[writer] = Outcome.Happened;
        found.push(writer);
      }
    };
    const visit = (t: number): void => {
      for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
        if (opKind[op] === OpKind.ListRead) {
          let node = opValue[op];
          for (; node > EMPTY_LIST && seenNode[node] === 0; node = lists.parent[node]) {
            seenNode[node] = 1;
            saw(nodeAppend[node]);
          }
        } else if (opKind[op] === OpKind.RangeRead) {
          const range = opValue[op];
          for (let row = ranges.rowStart[range]; row < ranges.rowStart[range + 1]; row++) saw(this.#rowReadFrom[row]);
        } else {
          saw(readFrom[op]);
        }
      }
    };
    for (let t = 0; t < outcome.length; t++) {
      if (txnStatus[t] !== TxnStatus.Committed) continue;
      outcome[t] = Outcome.Happened;
      visit(t);
    }
    for (let t = found.pop(); t !== undefined; t = found.pop()) visit(t);
    if (ambiguousReads > 0) {
      for (let t = 0; t < outcome.length; t++) {
        if (txnStatus[t] === TxnStatus.Unknown && outcome[t] === Outcome.Left && this.#contested[t])
          outcome[t] = Outcome.Open;
      }
    }
    return { outcome, ambiguousReads };
  }
}
