/** Current state while transactions are placed one after the other. */
export interface Store {
  /** Number of reads, rows and aggregates that a transaction saw and would not see if it began now. */
  misses(t: number): number;
  /** Makes the writes of a transaction current. Appends key, old version and new version to `replaced`. */
  commit(t: number, replaced: number[]): void;
  /** Takes the latest commit back. */
  takeBack(replaced: readonly number[]): void;
}
