/** Content of a key: the number of a version (negative for a tombstone) or a node of a list. */
export const ABSENT = 0;

/** An attempt at a transaction, as the database represents it. */
export interface Attempt {
  readonly session: number;
  /**
   * Keys written, in the order of their first writes, with the last value of each or, for a list, the appended
   * elements.
   */
  readonly writtenKeys: number[];
  readonly written: (number | number[])[];
  readonly readKeys: number[];
}

export interface Timestamps {
  readonly start: number;
  readonly commit: number;
}

/** A simulated database, which decides the content of a key for an attempt and whether an attempt may commit. */
export interface SimulatedEngine<A extends Attempt = Attempt> {
  begin(session: number): A;
  /** Returns the content of the key for this attempt, apart from its own writes. */
  read(attempt: A, key: number): number;
  /** Returns the content of a key for a transaction that begins now, where there is a single copy of the data. */
  newest?(key: number): number;
  /** Reports before the commit that a row matches an earlier request of the attempt, made before the row was known. */
  missed?(attempt: A): void;
  /** Reports a write of a transaction in progress. */
  wrote(attempt: A, key: number): void;
  /** Returns whether the attempt committed; otherwise its writes are undone. */
  commit(attempt: A): boolean;
  abort(attempt: A): void;
  /** Returns the start and commit timestamps of a committed attempt, where the database has timestamps. */
  stated?(attempt: A): Timestamps;
  /** Advances the time, so that messages may arrive. */
  tick(): void;
}

/** Appends elements to a list; the rest of the database does not know about lists. */
export type Extend = (key: number, list: number, elements: readonly number[]) => number;

/** Returns the index of the attempt's write of a key; −1 if there is none. */
export const ownWrite = ({ writtenKeys }: Attempt, key: number): number => writtenKeys.indexOf(key);
