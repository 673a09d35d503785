import type { OperationId } from '@isolab/history';

// Evidence of a violation that names operations and transactions, but no edges between them.

/** A read that no level allows, with the other operation, or −1 (see InternalAnomaly). */
export interface InternalCertificate {
  readonly kind: 'internal';
  readonly anomaly: string;
  readonly read: OperationId;
  readonly other: OperationId;
}

/**
 * Lists that no order of the appends explains. Elements that the reader itself had appended do not count.
 * incompatible-order: `read` and the read `other` see lists of one key, and neither is a prefix of the other; or `read`
 * shows the append `other` separated from its neighbour in its transaction.
 * duplicate-elements: `read` shows the element of the append `other` more often than it was appended.
 */
export interface ListsCertificate {
  readonly kind: 'lists';
  readonly anomaly: 'incompatible-order' | 'duplicate-elements';
  readonly read: OperationId;
  readonly other: OperationId;
}

/**
 * Transactions that read a value of a register and overwrote it, more of them than writes of that value: each of the
 * reads must be of a different write. Where writers of a key exclude each other, or transactions come one after the
 * other, only one of two transactions that read a version can have overwritten it.
 */
export interface UpdatesCertificate {
  readonly kind: 'updates';
  readonly reads: readonly OperationId[];
}

/**
 * The start and commit timestamps that the database states, treated as facts, contradict the reads of its clients.
 * Without the timestamps, this proves nothing about the history. The names of the axioms are those of Chronos.
 *
 * EXT: `read` did not see the latest version of its key committed when its transaction started (or when it committed,
 * where transactions come one after the other). NOCONFLICT: both writes are of one key, and each transaction started
 * before the other had committed. SESSION: `second` is later in the session of `first`, and started, or committed,
 * before `first` had committed. ORDER: `transaction` committed before it started.
 */
export type TimestampsCertificate = { readonly kind: 'timestamps' } & (
  | { readonly axiom: 'EXT'; readonly read: OperationId; readonly at: SnapshotTime }
  | { readonly axiom: 'NOCONFLICT'; readonly writes: readonly [OperationId, OperationId] }
  | { readonly axiom: 'SESSION'; readonly first: number; readonly second: number; readonly at: SnapshotTime }
  | { readonly axiom: 'ORDER'; readonly transaction: number }
);

/** Time of the snapshot that a transaction sees: its start or its commit. */
export type SnapshotTime = 'start' | 'commit';
