import { type Atoms, countAtoms } from '../columns/atoms.ts';
import type { Lists } from '../columns/lists.ts';
import type { Scans } from '../rows/scans.ts';

/**
 * A history in columns: sessions → transactions → operations, by offsets.
 *
 * It is plain data (typed arrays, numbers, strings), which `postMessage` takes as it is. Build one with HistoryBuilder.
 *
 * The initial transaction, which precedes all others and writes every key's initial state, is not stored.
 */
export interface History {
  readonly source: Source;
  /** First transaction of each session, with one extra slot. */
  readonly sessionStart: Int32Array;
  /** Name of each session in the source. */
  readonly sessionNames: Atoms;
  /** First operation of each transaction, with one extra slot. */
  readonly txnStart: Int32Array;
  /** Session of each transaction. */
  readonly txnSession: Int32Array;
  /** A TxnStatus. */
  readonly txnStatus: Uint8Array;
  /** Where the transaction begins in its file, in the source's unit, counted from 1 for lines and from 0 for bytes. */
  readonly txnPosition: Float64Array;
  /** Name of each transaction in the source. */
  readonly txnNames: Atoms | null;
  /**
   * Bounds in real time, or NO_TIME. The begin lies between the client's first request and its answer, the commit
   * between COMMIT and its answer. {@link TimeBounds} reads them.
   */
  readonly txnBegin: BigInt64Array | null;
  readonly txnBegun: BigInt64Array | null;
  readonly txnCommitting: BigInt64Array | null;
  readonly txnEnd: BigInt64Array | null;
  /** The database's own start and commit timestamps: claims to be checked, never trusted. */
  readonly txnStartTs: BigInt64Array | null;
  readonly txnCommitTs: BigInt64Array | null;
  /** An OpKind, which determines the meaning of the value column. */
  readonly opKind: Uint8Array;
  readonly opKey: Int32Array;
  readonly opValue: Int32Array;
  /** Distance of the operation from its transaction's position; null where the source's `opStride` says it. */
  readonly opPosition: Uint32Array | null;
  /** The version number that the source states for a write or a read, NO_TIME where it states none. */
  readonly opVersion: BigInt64Array | null;
  readonly keys: Atoms;
  /** Value ids NIL and UNKNOWN_VALUE, then all others. */
  readonly values: Atoms;
  /** Value of the initial state of each key, NIL where the source declares none. A list is initially empty. */
  readonly keyInitial: Int32Array;
  readonly lists: Lists;
  readonly exchanges: Exchanges;
  readonly ranges: Ranges;
  readonly scans: Scans;
  /** Rows that the keys of a lowered history or of its part stand for; absent in the history itself. */
  readonly rows?: RowsOfKeys;
}

/** Rows by numbers that no later step changes: those of the keys in the history that was read. */
export interface RowsOfKeys {
  /** Row that each key is, or that it concerns when it says whether a row matches; −1 for keys of no row. */
  readonly row: Int32Array;
  /** Number of the condition that the key's row meets or not; −1 for keys that state no match. */
  readonly condition: Int32Array;
  /** Conditions as SQL spells them. */
  readonly conditions: readonly string[];
}

/** Origin of a history, with the notes of its reader. */
export interface Source {
  readonly format: string;
  readonly database: string | null;
  /** Name of the file: one for all sessions, or one a session. */
  readonly files: readonly string[];
  readonly unit: PositionUnit;
  /** Distance between two operations of a transaction; 0 where operations have no position of their own. */
  readonly opStride: number;
  /** Unit of begin and end times. */
  readonly timeUnit: TimeUnit;
  /** Greatest difference between the clocks of two clients, in that unit. The upper bounds of times contain it. */
  readonly drift: number;
  /** Counts of omissions and interpretations of the reader, by name, for `stats`. */
  readonly notes: Readonly<Record<string, number>>;
  /** The level that the database claims to have kept, as stated by the collector of the history. */
  readonly claims?: string;
  /** Columns of rows that the recorder added and no client saw. They distinguish versions, and no text shows them. */
  readonly hiddenColumns?: readonly string[];
}

export type PositionUnit = 'line' | 'byte' | 'record';
export type TimeUnit = 'none' | 'nanoseconds' | 'events';

/** Operations that read one version and write another. */
export interface Exchanges {
  /** Value id that was found (or, for a compare-and-set, expected). */
  readonly observed: Int32Array;
  readonly written: Int32Array;
  /** A set of Exchange flags. */
  readonly flags: Uint8Array;
}

export interface Ranges {
  /** Key ids, or OPEN_BOUND. Both bounds belong to the range. */
  readonly low: Int32Array;
  readonly high: Int32Array;
  /** First row of each range, with one extra slot. */
  readonly rowStart: Int32Array;
  readonly rowKey: Int32Array;
  readonly rowValue: Int32Array;
  /** 1 where the row is a tombstone. */
  readonly rowDead: Uint8Array;
}

export const countSessions = (history: History): number => history.sessionStart.length - 1;
export const countTransactions = (history: History): number => history.txnStatus.length;
export const countOperations = (history: History): number => history.opKind.length;
export const countKeys = (history: History): number => countAtoms(history.keys);
export const countValues = (history: History): number => countAtoms(history.values);

/** Rows that the keys of a history with tables, or of a part of one, stand for; null where there are no tables. */
export function rowsOf({ rows, scans }: History): RowsOfKeys | null {
  if (rows !== undefined) return rows;
  if (scans.tables.length === 0) return null;
  const row = scans.keyTable.map((table, key) => (table >= 0 ? key : -1));
  return { row, condition: new Int32Array(row.length).fill(-1), conditions: [] };
}

/** The transaction of every operation. */
export function transactionOfOperations({ txnStart }: History): Int32Array {
  const transactions = txnStart.length - 1;
  const txnOf = new Int32Array(txnStart[transactions]);
  for (let t = 0; t < transactions; t++) txnOf.fill(t, txnStart[t], txnStart[t + 1]);
  return txnOf;
}

/** The transaction of one operation. */
export function transactionOf({ txnStart }: History, op: number): number {
  let low = 0;
  let high = txnStart.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (txnStart[middle] <= op) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Bytes that the history's columns hold, interned text apart. */
export function memoryOf(history: History): { readonly columns: number; readonly interned: number } {
  const interned = [history.keys, history.values, history.sessionNames].reduce((sum, atoms) => sum + bytesIn(atoms), 0);
  return { columns: bytesIn(history) - interned, interned };
}

function bytesIn(data: object): number {
  return columnsOf(data).reduce((sum, column) => sum + column.byteLength, 0);
}

/** Returns all typed arrays in plain data. */
function columnsOf(data: object): ArrayBufferView[] {
  return (Object.values(data) as unknown[]).flatMap((part) => {
    if (ArrayBuffer.isView(part)) return [part];
    return typeof part === 'object' && part !== null ? columnsOf(part) : [];
  });
}
