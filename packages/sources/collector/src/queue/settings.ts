/** How the sides of a queue notice that another one has gone. */
export interface LockTimings {
  /** Time that a job stays with a worker that does not say that it is still there. */
  readonly lockMs: number;
  /** Interval at which a worker renews its lease, and learns that its job is no longer wanted. */
  readonly renewMs: number;
  /** Interval at which workers look for jobs whose worker has gone. */
  readonly stalledMs: number;
}

/**
 * A worker renews its locks from a thread of its own. Only a lost machine or network is silent: after three missed
 * renewals and one look, its job is another worker's within a minute.
 */
export const LOCK_TIMINGS: LockTimings = { lockMs: 30_000, renewMs: 10_000, stalledMs: 10_000 };

/** Prefix of all keys in Redis. */
export const PREFIX = 'isolab';
