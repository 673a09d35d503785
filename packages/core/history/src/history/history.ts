import { type Atoms, NO_ATOMS, countAtoms } from '../columns/atoms.ts';
import type { Lists } from '../columns/lists.ts';
import type { Scans } from '../rows/scans.ts';
import type { IdColumn, KeyId, OperationId, TransactionId } from '../columns/ids.ts';

/**
 * A history in columns: sessions → transactions → operations, linked by offsets.
 * It is plain data (typed arrays, numbers, strings), so `postMessage` can send it. HistoryBuilder builds it.
 * The initial transaction, which precedes all others and writes the initial value of every key, is not stored.
 */
export interface History {
  readonly source: Source;
  /** First transaction of each session, with one extra slot. */
  readonly sessionStart: IdColumn<TransactionId>;
  readonly sessionNames: Atoms;
  /** First operation of each transaction, with one extra slot. */
  readonly txnStart: IdColumn<OperationId>;
  readonly txnSession: Int32Array;
  /** A TxnStatus for each transaction. */
  readonly txnStatus: Uint8Array;
  /** Position of the transaction in its file, in the source's unit: line numbers start from 1, byte offsets from 0. */
  readonly txnPosition: Float64Array;
  /** Name of each transaction in the source; null if the source gives no names. */
  readonly txnNames: Atoms | null;
  /**
   * Bounds in real time, or NO_TIME. The begin lies between the client's first request and its answer, the commit
   * between COMMIT and its answer. {@link TimeBounds} interprets them.
   */
  readonly txnBegin: BigInt64Array | null;
  readonly txnBegun: BigInt64Array | null;
  readonly txnCommitting: BigInt64Array | null;
  readonly txnEnd: BigInt64Array | null;
  /** Isolation level that each transaction states; null if none states one. */
  readonly txnLevels: StatedLevels | null;
  /** Start and commit timestamps from the database itself: claims to be checked, never trusted. */
  readonly txnStartTs: BigInt64Array | null;
  readonly txnCommitTs: BigInt64Array | null;
  /** An OpKind for each operation, which determines the meaning of the value column. */
  readonly opKind: Uint8Array;
  readonly opKey: IdColumn<KeyId>;
  readonly opValue: Int32Array;
  /** Distance of the operation from its transaction's position; null if the source's `opStride` determines it. */
  readonly opPosition: Uint32Array | null;
  /** Version number that the source states for a write or a read; NO_TIME if none is stated. */
  readonly opVersion: BigInt64Array | null;
  /** Statement of each operation of a lowered history; null if each operation is a statement of its own. */
  readonly opStatement: Int32Array | null;
  readonly keys: Atoms;
  /** NIL and UNKNOWN_VALUE, then all other values. */
  readonly values: Atoms;
  /** Initial value of each key; NIL if the source declares none. Lists are initially empty. */
  readonly keyInitial: Int32Array;
  readonly lists: Lists;
  readonly exchanges: Exchanges;
  readonly ranges: Ranges;
  readonly scans: Scans;
  /** Rows that the keys of a lowered history, or of a part of it, represent; null in the original history. */
  readonly rows: RowsOfKeys | null;
}

/** Rows for the keys of the original history, under numbers that no later step changes. */
export interface RowsOfKeys {
  /** Row that each key represents, or whose match with a condition it states; −1 for keys without a row. */
  readonly row: Int32Array;
  /** Number of the condition whose match with the row the key states; −1 for all other keys. */
  readonly condition: Int32Array;
  /** Conditions in SQL. */
  readonly conditions: readonly string[];
}

/** Origin of a history, with notes from its reader. */
export interface Source {
  readonly format: string;
  readonly database: string | null;
  /** Names of the files: either a single file for all sessions, or one file per session. */
  readonly files: readonly string[];
  readonly unit: PositionUnit;
  /** Distance between two operations of a transaction; 0 if operations have no positions of their own. */
  readonly opStride: number;
  readonly timeUnit: TimeUnit;
  /** Maximal difference between the clocks of two clients, in `timeUnit`. The upper bounds of times include it. */
  readonly drift: number;
  /** Counts, by name, of the reader's omissions and interpretations, for `stats`. */
  readonly notes: Readonly<Record<string, number>>;
  /** Shard of the keys, if only its operations were read. */
  readonly shard?: Shard;
  /** Level that the database claims to guarantee, as stated by the collector of the history. */
  readonly claims?: string;
  /** Columns of rows that the recorder added and clients did not see. They distinguish versions but are never shown. */
  readonly hiddenColumns?: readonly string[];
}

/** Part of a work that is divided into `of` parts, such as the keys of a history or the trials of a hunt. */
export interface Shard {
  /** Number of the part, from 1 to `of`. */
  readonly index: number;
  readonly of: number;
  /** Checksum of the divided file, by which the results of its shards are put together. */
  readonly sha256?: string;
}

export type PositionUnit = 'line' | 'byte' | 'record';
export type TimeUnit = 'none' | 'nanoseconds' | 'events';

/** Levels of transactions, in a byte for each transaction: 0 without a level, otherwise 1 + the place of its name. */
export interface StatedLevels {
  readonly of: Uint8Array;
  readonly names: readonly string[];
}

/** Returns the level that a transaction states, or null. */
export const levelOf = ({ txnLevels }: Pick<History, 'txnLevels'>, t: number): string | null =>
  txnLevels?.names[txnLevels.of[t] - 1] ?? null;

/** Operations that read one version and write another. */
export interface Exchanges {
  /** Value id that was found or, for a compare-and-set, expected. */
  readonly observed: Int32Array;
  readonly written: Int32Array;
  /** A set of Exchange flags. */
  readonly flags: Uint8Array;
}

export interface Ranges {
  /** Key ids, or OPEN_BOUND. Both bounds are inclusive. */
  readonly low: IdColumn<KeyId>;
  readonly high: IdColumn<KeyId>;
  /** First row of each range, with one extra slot. */
  readonly rowStart: Int32Array;
  readonly rowKey: IdColumn<KeyId>;
  readonly rowValue: Int32Array;
  /** 1 where the row is a tombstone. */
  readonly rowDead: Uint8Array;
}

export const countSessions = (history: History): number => history.sessionStart.length - 1;
export const countTransactions = (history: History): number => history.txnStatus.length;
export const countOperations = (history: History): number => history.opKind.length;
export const countKeys = (history: History): number => countAtoms(history.keys);
export const countValues = (history: History): number => countAtoms(history.values);

/** Returns the rows that the keys represent, of a history with tables or of its part; null if there are no tables. */
export function rowsOf({ rows, scans }: History): RowsOfKeys | null {
  if (rows !== null) return rows;
  if (scans.tables.length === 0) return null;
  const row = scans.keyTable.map((table, key) => (table >= 0 ? key : -1));
  return { row, condition: new Int32Array(row.length).fill(-1), conditions: [] };
}

export function transactionOfOperations({ txnStart }: History): IdColumn<TransactionId> {
  const transactions = txnStart.length - 1;
  const txnOf = new Int32Array(txnStart[transactions]);
  for (let t = 0; t < transactions; t++) txnOf.fill(t, txnStart[t], txnStart[t + 1]);
  return txnOf as IdColumn<TransactionId>;
}

/** Returns whether an operation of a transaction belongs to an earlier statement than another one. */
export const isEarlierStatement = ({ opStatement }: History, a: number, b: number): boolean =>
  a < b && (opStatement === null || opStatement[a] !== opStatement[b]);

export function transactionOf({ txnStart }: History, op: OperationId): TransactionId {
  let low = 0;
  let high = txnStart.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (txnStart[middle] <= op) low = middle;
    else high = middle - 1;
  }
  return low as TransactionId;
}

/** Returns the history without names and positions, which threads that only count operations do not need. */
export const withoutNames = (history: History): History => ({
  ...history,
  sessionNames: NO_ATOMS,
  txnPosition: new Float64Array(0),
  txnNames: null,
  opPosition: null,
  opVersion: null,
  keys: NO_ATOMS,
  values: NO_ATOMS,
});

/** Returns the size of the history's columns in bytes, with interned text listed separately. */
export function memoryOf(history: History): { readonly columns: number; readonly interned: number } {
  const interned = [history.keys, history.values, history.sessionNames].reduce((sum, atoms) => sum + bytesIn(atoms), 0);
  return { columns: bytesIn(history) - interned, interned };
}

function bytesIn(data: object): number {
  return columnsOf(data).reduce((sum, column) => sum + column.byteLength, 0);
}

function columnsOf(data: object): ArrayBufferView[] {
  return (Object.values(data) as unknown[]).flatMap((part) => {
    if (ArrayBuffer.isView(part)) return [part];
    return typeof part === 'object' && part !== null ? columnsOf(part) : [];
  });
}
