import type { KeyId } from './ids.ts';

/** Kinds of operations. Each comment ends with the meaning of the value column. */
export const OpKind = {
  /** Reads a register; the returned value. */
  Read: 0,
  /** Writes a register; the written value. */
  Write: 1,
  /** Appends to a list (or a string); the element. */
  Append: 2,
  /** Reads a whole list; a node of the list tree, see lists.ts. */
  ListRead: 3,
  /** Writes if the key has an expected value; an exchange. */
  CompareAndSet: 4,
  /** Reads all keys between two bounds; a range. Its key column is {@link NO_KEY}. */
  RangeRead: 5,
  /** Reads a key and writes it if it is absent; an exchange. */
  Insert: 6,
  /** Reads a key and writes a tombstone as a new version; an exchange. */
  Delete: 7,
  /** Reads the rows of a table that match a predicate; a scan, see rows/scans.ts. Its key column is {@link NO_KEY}. */
  Scan: 8,
} as const;

export const OP_NAMES = [
  'read',
  'write',
  'append',
  'list-read',
  'compare-and-set',
  'range-read',
  'insert',
  'delete',
  'scan',
] as const;

/** Outcome of a transaction as seen by its client. */
export const TxnStatus = { Committed: 0, Aborted: 1, Unknown: 2 } as const;

export const STATUS_NAMES = ['committed', 'aborted', 'unknown'] as const;

/** Flags of an exchange. */
export const Exchange = {
  /** A compare-and-set that found another value and wrote nothing. */
  Failed: 1,
  /** An insert or delete that found a tombstone. */
  FoundTombstone: 2,
} as const;

/** Value ids that exist in every history. */
export const NIL = 0;
export const UNKNOWN_VALUE = 1;

export const NO_KEY = -1 as KeyId;
/** A list read whose result the client never received. */
export const UNKNOWN_LIST = -1;
/** Node of the empty list, which all keys share. */
export const EMPTY_LIST = 0;
/** A bound that a range read left open. */
export const OPEN_BOUND = -1;
/** A time that the source does not state. */
export const NO_TIME = -(2n ** 63n);
