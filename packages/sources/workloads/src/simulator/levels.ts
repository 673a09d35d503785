import type { LevelName } from '@isolab/contract';

/** How a database with one copy of the data keeps a level. */
export interface SnapshotRules {
  readonly kind: 'snapshots';
  /** Whether a transaction sees the commits before its begin; otherwise each read sees the newest version. */
  readonly repeatable: boolean;
  /** Number of commits that a snapshot may be behind, as long as it holds the reads and writes of the session. */
  readonly maxLag: number;
  /** Whether the first of two concurrent writers of a key wins, and the second one aborts. */
  readonly firstCommitterWins: boolean;
  /** Whether a transaction that writes aborts if something that it read has changed since. */
  readonly validatesReads: boolean;
  /**
   * Whether a transaction aborts if it, or one that committed, would stand between two concurrent ones: it missed a
   * write of one, and the other missed one of its writes (serializable snapshot isolation).
   */
  readonly abortsPivots: boolean;
}

/** How a database with several copies keeps a level: commits travel as messages, and the later one wins. */
export interface ReplicaRules {
  readonly kind: 'replicas';
  /** Whether a commit is only shown after all commits that it has seen. */
  readonly causalDelivery: boolean;
  readonly firstCommitterWins: boolean;
}

/** How a database with one copy of the data keeps serializability by locks until the end (strict two-phase locking). */
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

/** The levels at which the simulated database can run. */
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

/** Other ways to keep serializability. */
export const SERIALIZABLE_BY = {
  pivots: snapshots({ firstCommitterWins: true, abortsPivots: true }),
  locks: { kind: 'locks' },
} as const satisfies Record<string, Rules>;

export type SimulatedLevel = keyof typeof SIMULATED_LEVELS;
