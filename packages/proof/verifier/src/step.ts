/**
 * Order of begins and commits that an edge states: this event of `from` comes before that event of `to`. Edges chain
 * unless one arrives at a commit and the next leaves from a begin, which is earlier: so no two anti-dependencies may be
 * adjacent, which is the characterization of snapshot isolation by dependency graphs. Levels of commit orders have one
 * event a transaction, and every edge chains with every other.
 */
export interface EdgeStep {
  readonly from: number;
  readonly to: number;
  readonly leaves: 'begin' | 'commit';
  readonly arrives: 'begin' | 'commit';
}

export const COMMIT_BEFORE_BEGIN = { leaves: 'commit', arrives: 'begin' } as const;
export const COMMIT_BEFORE_COMMIT = { leaves: 'commit', arrives: 'commit' } as const;
export const BEGIN_BEFORE_COMMIT = { leaves: 'begin', arrives: 'commit' } as const;
