/**
 * Order of begins and commits that an edge states: the given event of `from` precedes the given event of `to`. Two
 * edges can be composed unless the first arrives at a commit and the second leaves from a begin, which is earlier. No
 * two anti-dependencies may therefore be adjacent, as in the characterization of snapshot isolation by dependency
 * graphs. Levels of commit orders have one event per transaction, and any two adjacent edges can be composed.
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
