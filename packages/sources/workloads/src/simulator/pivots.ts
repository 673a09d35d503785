/**
 * Reads and writes of a committed transaction, and whether it missed a write of a concurrent transaction or a
 * concurrent transaction missed its write.
 */
interface Committed {
  readonly commit: number;
  readonly reads: ReadonlySet<number>;
  readonly writes: ReadonlySet<number>;
  missed: boolean;
  wasMissed: boolean;
}

export interface Candidate {
  /** Last commit in its snapshot, and last commit in the database. */
  readonly snapshot: number;
  readonly now: number;
  readonly reads: readonly number[];
  readonly writes: readonly number[];
}

/**
 * Detects pivots between two concurrent transactions, after Cahill: every cycle contains a pivot. A transaction missed
 * a write of a concurrent transaction if it read the old version of the key and both commit.
 */
export class Pivots {
  #committed: Committed[] = [];

  /** Returns whether this transaction may commit. If so, it counts as committed. */
  admits({ snapshot, now, reads, writes }: Candidate, oldestSnapshot: number): boolean {
    this.#committed = this.#committed.filter(({ commit }) => commit >= oldestSnapshot);
    const isWriter = writes.length > 0;
    const own: Committed = {
      commit: isWriter ? now + 1 : now,
      reads: new Set(reads),
      writes: new Set(writes),
      missed: false,
      wasMissed: false,
    };
    const missing = this.#committed.filter((other) => other.commit > snapshot && meets(own.reads, other.writes));
    // A read-only transaction is ordered at its commit. It may have ended before this transaction began, which does no
    // harm.
    const missedBy = this.#committed.filter((other) => other.commit >= snapshot && meets(other.reads, own.writes));
    own.missed = missing.length > 0;
    own.wasMissed = missedBy.length > 0;
    if (own.missed && own.wasMissed) return false;
    if (missing.some(({ missed }) => missed) || missedBy.some(({ wasMissed }) => wasMissed)) return false;
    for (const other of missing) other.wasMissed = true;
    for (const other of missedBy) other.missed = true;
    this.#committed.push(own);
    return true;
  }
}

const meets = (some: ReadonlySet<number>, others: ReadonlySet<number>): boolean =>
  [...some].some((key) => others.has(key));
