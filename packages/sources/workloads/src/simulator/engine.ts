/** Content of a key: a version's number, negative for a tombstone, or a node of a list. */
export const ABSENT = 0;

/** Attempt at a transaction, as the database sees it. */
export interface Attempt {
  readonly session: number;
  /** The last write of each key, in the order of the first ones; of a list, the elements appended. */
  readonly writtenKeys: number[];
  readonly written: (number | number[])[];
  readonly readKeys: number[];
}

export interface Timestamps {
  readonly start: number;
  readonly commit: number;
}

/** A simulated database: the content of a key for an attempt, and whether an attempt may commit. */
export interface SimulatedEngine<A extends Attempt = Attempt> {
  begin(session: number): A;
  /** Returns the content of the key for this attempt, its own writes apart. */
  read(attempt: A, key: number): number;
  /** Returns the content of a key for a transaction that begins now, where there is one copy of the data. */
  newest?(key: number): number;
  /** Reports before the commit that a row matches an earlier request of the attempt, made before the row was known. */
  missed?(attempt: A): void;
  /** Reports a write while its transaction is under way. */
  wrote(attempt: A, key: number): void;
  /** Returns whether it committed; otherwise all is undone. */
  commit(attempt: A): boolean;
  abort(attempt: A): void;
  /** The start and commit timestamps of an attempt that committed, where the database has such. */
  stated?(attempt: A): Timestamps;
  /** Time passes: messages may arrive. */
  tick(): void;
}

/** Makes a list longer; the rest of the database knows no lists. */
export type Extend = (key: number, list: number, elements: readonly number[]) => number;

/** Place of the attempt's write of a key; −1 if none. */
export const ownWrite = ({ writtenKeys }: Attempt, key: number): number => writtenKeys.indexOf(key);
