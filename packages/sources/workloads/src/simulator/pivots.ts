/**
 * Reads and writes of a committed transaction, and whether it missed a write of a concurrent one, or a concurrent one
 * missed a write of it.
 */
interface Committed {
  readonly commit: number;
  readonly reads: ReadonlySet<number>;
  readonly writes: ReadonlySet<number>;
  missed: boolean;
  wasMissed: boolean;
}

export interface Candidate {
  /** The last commit that it sees, and the last one there is. */
  readonly snapshot: number;
  readonly now: number;
  readonly reads: readonly number[];
  readonly writes: readonly number[];
}

/**
 * Watches for a transaction between two concurrent ones, in Cahill's way: no cycle is without such a pivot. Of
 * concurrent transactions one missed a write of the other if it read the key and committed, or will, all the same.
 */
export class Pivots {
  #committed: Committed[] = [];

  /** Returns whether this one may commit; then it counts as one that did. */
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
    // A transaction that only read stands where it committed: it may have been over when this one began, which does no
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
