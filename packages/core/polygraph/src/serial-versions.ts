import { IntList, rowsBy } from '@isolab/graph';
import {
  type History,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  countKeys,
  transactionOfOperations,
} from '@isolab/history';

/** The version's transaction did not read the key before writing it. */
export const BLIND = -1;

/**
 * Writers and readers of versions among some transactions of a history, which are nodes 0, 1, … in ascending order. A
 * version is the state in which a transaction leaves a key: its last write. Versions are numbered key by key. Rows of
 * readers are numbered by version; they are followed by one row per key for its *base*: the initial state, or its
 * replacement in a `SerialPart`.
 */
export interface SerialVersions {
  readonly history: History;
  readonly txnOf: Int32Array;
  /** First version of each key, with one extra slot. */
  readonly keyStart: Int32Array;
  readonly node: Int32Array;
  readonly key: Int32Array;
  readonly write: Int32Array;
  /** Row that its transaction read before writing the version, or BLIND; and the operation that read it. */
  readonly overwrites: Int32Array;
  readonly overwritesRead: Int32Array;
  /** First reader of each row, with one extra slot; readers are nodes that read it from another transaction. */
  readonly readerStart: Int32Array;
  readonly reader: Int32Array;
  readonly read: Int32Array;
}

export const countVersions = ({ write }: SerialVersions): number => write.length;

export const baseRow = (versions: SerialVersions, key: number): number => countVersions(versions) + key;

/** Transactions that are nodes, and the meaning of their reads from other transactions. */
export interface SerialPart {
  /** Ascending. */
  readonly txns: Int32Array;
  /** Transaction whose version is the base of each key, −1 for the initial state; null if all bases are initial. */
  readonly base: Int32Array | null;
}

/** Builds the versions of the parts of a history, one part after another. */
export class SerialVersionBuilder {
  readonly #history: History;
  readonly #index: ReadFromIndex;
  readonly #txnOfOp: Int32Array;
  readonly #nodeOf: Int32Array; // by transaction; −1: not a node of the current part
  readonly #versionOf: Int32Array; // by operation: the version of a write
  // For each key:
  readonly #wrote: Int32Array; // the last node that wrote it
  readonly #readBy: Int32Array; // the last node that read it before writing it
  readonly #current: Int32Array; // the version that the last writer wrote
  readonly #readAt: Int32Array; // place of the last reader's read in the list of reads

  constructor(history: History, index: ReadFromIndex) {
    const numKeys = countKeys(history);
    this.#history = history;
    this.#index = index;
    this.#txnOfOp = transactionOfOperations(history);
    this.#nodeOf = new Int32Array(history.txnStatus.length).fill(-1);
    this.#versionOf = new Int32Array(history.opKind.length);
    this.#wrote = new Int32Array(numKeys);
    this.#readBy = new Int32Array(numKeys);
    this.#current = new Int32Array(numKeys);
    this.#readAt = new Int32Array(numKeys);
  }

  build(part: SerialPart): SerialVersions {
    const { txns } = part;
    for (let n = 0; n < txns.length; n++) this.#nodeOf[txns[n]] = n;
    const written = this.#writes(txns);
    const versions = { history: this.#history, txnOf: txns, ...written, ...this.#reads(part, written.write.length) };
    for (let n = 0; n < txns.length; n++) this.#nodeOf[txns[n]] = -1;
    return versions;
  }

  #writes(txns: Int32Array): Pick<SerialVersions, 'keyStart' | 'node' | 'key' | 'write'> {
    const { txnStart, opKind, opKey } = this.#history;
    const numKeys = countKeys(this.#history);
    const wrote = this.#wrote.fill(-1);
    const keyStart = new Int32Array(numKeys + 1);
    for (let n = 0; n < txns.length; n++) {
      for (let op = txnStart[txns[n]], end = txnStart[txns[n] + 1]; op < end; op++) {
        if (opKind[op] !== OpKind.Write || wrote[opKey[op]] === n) continue;
        wrote[opKey[op]] = n;
        keyStart[opKey[op] + 1]++;
      }
    }
    for (let k = 0; k < numKeys; k++) keyStart[k + 1] += keyStart[k];
    const cursor = keyStart.slice(0, numKeys);
    const node = new Int32Array(keyStart[numKeys]);
    const key = new Int32Array(keyStart[numKeys]);
    const write = new Int32Array(keyStart[numKeys]);
    const current = this.#current;
    wrote.fill(-1);
    for (let n = 0; n < txns.length; n++) {
      for (let op = txnStart[txns[n]], end = txnStart[txns[n] + 1]; op < end; op++) {
        if (opKind[op] !== OpKind.Write) continue;
        const k = opKey[op];
        if (wrote[k] !== n) {
          wrote[k] = n;
          current[k] = cursor[k]++;
          node[current[k]] = n;
          key[current[k]] = k;
        }
        write[current[k]] = op;
        this.#versionOf[op] = current[k];
      }
    }
    return { keyStart, node, key, write };
  }

  #reads(
    { txns, base }: SerialPart,
    numVersions: number,
  ): Pick<SerialVersions, 'overwrites' | 'overwritesRead' | 'readerStart' | 'reader' | 'read'> {
    const { txnStart, opKind, opKey } = this.#history;
    const versionOf = this.#versionOf;
    const wrote = this.#wrote.fill(-1);
    const readBy = this.#readBy.fill(-1);
    const readAt = this.#readAt;
    const numRows = numVersions + countKeys(this.#history);
    const overwrites = new Int32Array(numVersions).fill(BLIND);
    const overwritesRead = new Int32Array(numVersions);
    const rowOf = new IntList();
    const nodeOf = new IntList();
    const readOf = new IntList();
    for (let n = 0; n < txns.length; n++) {
      for (let op = txnStart[txns[n]], end = txnStart[txns[n] + 1]; op < end; op++) {
        const key = opKey[op];
        if (opKind[op] === OpKind.Write) {
          wrote[key] = n;
          if (readBy[key] !== n) continue;
          overwrites[versionOf[op]] = rowOf.items[readAt[key]];
          overwritesRead[versionOf[op]] = readOf.items[readAt[key]];
        } else if (opKind[op] === OpKind.Read && wrote[key] !== n && readBy[key] !== n) {
          const row = this.#rowRead(op, txns[n], base, numVersions);
          if (row < 0) continue;
          readBy[key] = n;
          readAt[key] = rowOf.length;
          rowOf.push(row);
          nodeOf.push(n);
          readOf.push(op);
        }
      }
    }
    const { start: readerStart, item } = rowsBy(rowOf.view(), numRows);
    const reader = item.map((i) => nodeOf.items[i]);
    const read = item.map((i) => readOf.items[i]);
    return { overwrites, overwritesRead, readerStart, reader, read };
  }

  /**
   * Returns the row that a read saw; −1 if it saw the transaction's own write or its writer is unknown or not a node.
   */
  #rowRead(op: number, t: number, base: Int32Array | null, numVersions: number): number {
    const from = this.#index.readFrom[op];
    const key = this.#history.opKey[op];
    if (from < 0) {
      return from === ReadFrom.Initial && (base === null || base[key] < 0) ? numVersions + key : -1;
    }
    const writer = this.#txnOfOp[from];
    if (writer === t) return -1;
    if (this.#nodeOf[writer] >= 0) return this.#versionOf[from];
    return base !== null && base[key] === writer ? numVersions + key : -1;
  }
}
