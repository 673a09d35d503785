import type { LevelName } from '@isolab/contract';

/** Rules with which a database with one copy of the data provides a level. */
export interface SnapshotRules {
  readonly kind: 'snapshots';
  /** Whether a transaction reads from a snapshot at its beginning; otherwise each read returns the newest version. */
  readonly repeatable: boolean;
  /** Number of commits that a snapshot may lag behind, as long as it includes the session's reads and writes. */
  readonly maxLag: number;
  /** Whether the first of two concurrent writers of a key wins and the second aborts. */
  readonly firstCommitterWins: boolean;
  /** Whether a writing transaction aborts if a value that it read has changed since. */
  readonly validatesReads: boolean;
  /**
   * Whether a transaction aborts if it or a committed transaction would be a pivot between two concurrent transactions:
   * it missed a write of one, and the other missed one of its writes (serializable snapshot isolation).
   */
  readonly abortsPivots: boolean;
}

/**
 * Rules with which a database with several copies provides a level: commits travel as messages, and the later commit
 * wins.
 */
export interface ReplicaRules {
  readonly kind: 'replicas';
  /** Whether a commit becomes visible only after all commits that it has seen. */
  readonly causalDelivery: boolean;
  readonly firstCommitterWins: boolean;
}

/** Rules with which a database with one copy of the data provides serializability through strict two-phase locking. */
export interface LockRules {
  readonly kind: 'locks';
}

export type Rules = SnapshotRules | ReplicaRules | LockRules;

const snapshots = (rules: Partial<SnapshotRules>): SnapshotRules => ({
  kind: 'snapshots',
  repeatable: true,
  maxLag: 0,
  firstCommitterWins: false,
  validatesReads: false,
  abortsPivots: false,
  ...rules,
});

const LAG = 8;

/** Levels at which the simulated database can run. */
export const SIMULATED_LEVELS = {
  'read-committed': snapshots({ repeatable: false }),
  'read-atomic': { kind: 'replicas', causalDelivery: false, firstCommitterWins: false },
  causal: { kind: 'replicas', causalDelivery: true, firstCommitterWins: false },
  prefix: snapshots({ maxLag: LAG }),
  'snapshot-isolation': snapshots({ maxLag: LAG, firstCommitterWins: true }),
  'strong-snapshot-isolation': snapshots({ firstCommitterWins: true }),
  serializable: snapshots({ maxLag: LAG, firstCommitterWins: true, validatesReads: true }),
  'strict-serializable': snapshots({ firstCommitterWins: true, validatesReads: true }),
} as const satisfies Partial<Record<LevelName, Rules>>;

/** Alternative implementations of serializability. */
export const SERIALIZABLE_BY = {
  pivots: snapshots({ firstCommitterWins: true, abortsPivots: true }),
  locks: { kind: 'locks' },
} as const satisfies Record<string, Rules>;

export type SimulatedLevel = keyof typeof SIMULATED_LEVELS;
