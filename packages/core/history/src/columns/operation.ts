/** Kind of an operation. The comment describes its value column. */
export const OpKind = {
  /** A register read; the value returned. */
  Read: 0,
  /** A register write; the value written. */
  Write: 1,
  /** Adds to the end of a list (or of a string); the element. */
  Append: 2,
  /** Reads a whole list; a node of the list tree, see lists.ts. */
  ListRead: 3,
  /** Writes if the key holds an expected value; an exchange. */
  CompareAndSet: 4,
  /** Reads all keys between two bounds; a range. Its key column is {@link NO_KEY}. */
  RangeRead: 5,
  /** Reads a key and, where it is absent, writes it; an exchange. */
  Insert: 6,
  /** Reads a key and writes a tombstone, a version of its own; an exchange. */
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

/** The outcome of a transaction as its client knew it. */
export const TxnStatus = { Committed: 0, Aborted: 1, Unknown: 2 } as const;

export const STATUS_NAMES = ['committed', 'aborted', 'unknown'] as const;

/** Flags of an exchange. */
export const Exchange = {
  /** A compare-and-set that found another value and wrote nothing. */
  Failed: 1,
  /** An insert or delete that found a tombstone. */
  FoundTombstone: 2,
} as const;

/** Value ids that every history has. */
export const NIL = 0;
export const UNKNOWN_VALUE = 1;

export const NO_KEY = -1;
/** A list read whose result the client never learned. */
export const UNKNOWN_LIST = -1;
/** The list node that stands for the empty list of every key. */
export const EMPTY_LIST = 0;
/** A bound that a range read left open. */
export const OPEN_BOUND = -1;
/** A time that the source does not state. */
export const NO_TIME = -(2n ** 63n);
