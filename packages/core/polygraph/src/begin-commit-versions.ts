import { lowerBound, rowsBy } from '@isolab/graph';
import {
  type History,
  type ListVersions,
  OpKind,
  type OperationId,
  ReadFrom,
  type ReadFromIndex,
  countKeys,
  countOperations,
  transactionOfOperations,
} from '@isolab/history';
import {
  Relations,
  happenedIn,
  listAppendVersions as versionsOfLists,
  placeOfWriter,
  transactionsThatHappened,
} from '@isolab/graph/relations';

/**
 * Versions of all keys, with the writer, the readers and the known successor of each version.
 * A version is the state in which a transaction leaves a key. Written versions are numbered key by key; initial
 * versions follow, with numbers `numWritten + key`. Only transactions that happened count.
 */
export interface BeginCommitVersions {
  readonly numTxns: number;
  readonly happened: Uint8Array;
  readonly numKeys: number;
  readonly numWritten: number;
  /** First written version of each key, with one extra slot. */
  readonly keyStart: Int32Array;
  /** Transaction of each written version, and its last operation that wrote it. */
  readonly writer: Int32Array;
  readonly write: Int32Array;
  /** Readers of each version other than its writer, as rows with one extra slot; and the first read of each row. */
  readonly readerStart: Int32Array;
  readonly reader: Int32Array;
  readonly read: Int32Array;
  /** Version that is known to come directly after each version, and the inverse; −1 if unknown. */
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** For each list, a read that shows all versions whose order is known, if there are any. */
  readonly longestRead: Int32Array | null;
  /**
   * The first two transactions found that read the same version and write its successor, which no snapshot level
   * allows; null if there are none.
   */
  readonly divergence: Divergence | null;
}

export interface Divergence {
  readonly version: number;
  /** The two successors. */
  readonly first: number;
  readonly second: number;
}

export interface VersionOptions {
  /**
   * Whether to combine writes (Cobra, section 3.1; also in Viper): a reader that overwrites a version comes directly
   * after it.
   */
  readonly combine: boolean;
  /** Whether a read without a known writer counts as a read of the initial version, instead of being ignored. */
  readonly unexplainedIsInitial?: boolean;
}

export const initialVersion = ({ numWritten }: BeginCommitVersions, key: number): number => numWritten + key;

export function keyOfVersion({ keyStart, numWritten, numKeys }: BeginCommitVersions, version: number): number {
  return version >= numWritten ? version - numWritten : lowerBound(keyStart, 0, numKeys, version + 1) - 1;
}

/** Returns the row of a reader of a version; −1 if it does not read the version. */
export function readerRow({ readerStart, reader }: BeginCommitVersions, version: number, txn: number): number {
  for (let row = readerStart[version]; row < readerStart[version + 1]; row++) if (reader[row] === txn) return row;
  return -1;
}

/** Reads as they are found, before they are grouped into rows. */
interface FoundReads {
  count: number;
  readonly version: Int32Array;
  readonly txn: Int32Array;
  readonly op: Int32Array;
}

/** Finds the versions of a history that reads and writes single values. */
export function registerVersions(history: History, index: ReadFromIndex, options: VersionOptions): BeginCommitVersions {
  const happened = happenedIn(index.outcome);
  const { writers, lastWrites: write } = new Relations(history, index, transactionsThatHappened(index.outcome));
  const { start: keyStart, node: writer } = writers;
  const { txnStart, opKind, opKey } = history;
  const { readFrom } = index;
  const txnOf = transactionOfOperations(history);
  const numKeys = countKeys(history);
  const numWritten = writer.length;
  const next = new Int32Array(numWritten + numKeys).fill(-1);
  const previous = new Int32Array(numWritten + numKeys).fill(-1);
  let divergence: Divergence | null = null;

  const found = foundReads(countOperations(history));
  const lastReader = new Int32Array(numKeys).fill(-1);
  for (let t = 0; t < happened.length; t++) {
    if (happened[t] === 0) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      if (opKind[op] !== OpKind.Read || lastReader[key] === t) continue;
      const from = readFrom[op];
      if (from === ReadFrom.None || (from >= 0 && txnOf[from] === t)) continue;
      let version = -1;
      if (from >= 0) version = placeOfWriter(writers, key, txnOf[from]);
      const isExplained = version >= 0 ? write[version] === from : from === ReadFrom.Initial;
      if (!isExplained && options.unexplainedIsInitial !== true) continue;
      if (!isExplained || version < 0) version = numWritten + key;
      lastReader[key] = t;
      addRead(found, version, t, op);

      if (!options.combine) continue;
      const own = placeOfWriter(writers, key, t);
      if (own < 0) continue;
      if (next[version] >= 0) divergence ??= { version, first: next[version], second: own };
      else next[version] = own;
      previous[own] = version;
    }
  }
  const rows = inRows(found, numWritten + numKeys);
  return {
    numTxns: happened.length,
    numKeys,
    numWritten,
    next,
    previous,
    longestRead: null,
    divergence,
    keyStart,
    happened,
    writer,
    write,
    ...rows,
  };
}

/** Finds the versions of a history of conflict-free lists; the order of each longest list is completely known. */
export function listAppendVersions(history: History, index: ReadFromIndex, lists: ListVersions): BeginCommitVersions {
  const relations = new Relations(history, index, transactionsThatHappened(index.outcome));
  const { keyStart, numOrdered, writer, write, readerStart, reader, read } = versionsOfLists(relations, lists);
  return {
    numTxns: index.outcome.length,
    happened: happenedIn(index.outcome),
    numKeys: countKeys(history),
    numWritten: writer.length,
    keyStart,
    writer,
    write,
    readerStart,
    reader,
    read,
    ...orderOfFirst(keyStart, numOrdered),
    longestRead: lists.longestRead,
    divergence: null,
  };
}

function orderOfFirst(keyStart: Int32Array, numOrdered: Int32Array): Pick<BeginCommitVersions, 'next' | 'previous'> {
  const numKeys = numOrdered.length;
  const numWritten = keyStart[numKeys];
  const next = new Int32Array(numWritten + numKeys).fill(-1);
  const previous = new Int32Array(numWritten + numKeys).fill(-1);
  for (let key = 0; key < numKeys; key++) {
    let last = numWritten + key;
    for (let version = keyStart[key]; version < keyStart[key] + numOrdered[key]; version++) {
      next[last] = version;
      previous[version] = last;
      last = version;
    }
  }
  return { next, previous };
}

const foundReads = (capacity: number): FoundReads => ({
  count: 0,
  version: new Int32Array(capacity),
  txn: new Int32Array(capacity),
  op: new Int32Array(capacity),
});

function addRead(found: FoundReads, version: number, txn: number, op: OperationId): void {
  found.version[found.count] = version;
  found.txn[found.count] = txn;
  found.op[found.count++] = op;
}

function inRows({ count, version, txn, op }: FoundReads, numVersions: number) {
  const { start, item } = rowsBy(version.subarray(0, count), numVersions);
  return { readerStart: start, reader: item.map((i) => txn[i]), read: item.map((i) => op[i]) };
}
