import type { IdColumn, OperationId, TransactionId } from '../columns/ids.ts';

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
