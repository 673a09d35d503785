// Evidence of a violation that names operations and transactions, and no edges between them.

/** A read that no level allows, with the other operation, or −1 (see InternalAnomaly). */
export interface InternalCertificate {
  readonly kind: 'internal';
  readonly anomaly: string;
  readonly read: number;
  readonly other: number;
}

/**
 * Lists that no order of the appends explains. Only elements that others had appended count, not the reader's own.
 *
 * incompatible-order: `read` and the read `other` see lists of one key, and neither is the beginning of the other; or
 * `read` shows the append `other` torn apart from the one before or after it in its transaction.
 * duplicate-elements: `read` shows the element of the append `other` more often than it was appended.
 */
export interface ListsCertificate {
  readonly kind: 'lists';
  readonly anomaly: 'incompatible-order' | 'duplicate-elements';
  readonly read: number;
  readonly other: number;
}

/**
 * More transactions read a value of a register and overwrote it than may have left it: each of the reads is of another
 * one. Where writers of a key exclude each other, or transactions come one after the other, of two that read the same
 * version only one can have overwritten it.
 */
export interface UpdatesCertificate {
  readonly kind: 'updates';
  readonly reads: readonly number[];
}

/**
 * The start and commit timestamps that the database states, treated as facts, contradict the reads of its clients. It
 * proves nothing about the history without them. The names of the axioms are those of Chronos.
 *
 * EXT: `read` did not see the version that was committed to its key when its transaction started; where one transaction
 * comes after the other, when it committed. NOCONFLICT: both writes are of one key, and each transaction started before
 * the other had committed. SESSION: `second` is later in the session of `first`, and started, or committed, before
 * `first` had committed. ORDER: `transaction` committed before it started.
 */
export type TimestampsCertificate = { readonly kind: 'timestamps' } & (
  | { readonly axiom: 'EXT'; readonly read: number; readonly at: SnapshotTime }
  | { readonly axiom: 'NOCONFLICT'; readonly writes: readonly [number, number] }
  | { readonly axiom: 'SESSION'; readonly first: number; readonly second: number; readonly at: SnapshotTime }
  | { readonly axiom: 'ORDER'; readonly transaction: number }
);

/** Time of the snapshot that a transaction sees: when it started, or when it committed. */
export type SnapshotTime = 'start' | 'commit';
