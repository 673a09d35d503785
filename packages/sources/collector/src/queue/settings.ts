/** How the sides of a queue notice that another one has gone. */
export interface LockTimings {
  /** How long a job stays with a worker that does not say that it is still there. */
  readonly lockMs: number;
  /** How often a worker says so; and how soon it learns that its job is no longer wanted. */
  readonly renewMs: number;
  /** How often workers look for jobs whose worker has gone. */
  readonly stalledMs: number;
}

/**
 * A worker says that it is there from a thread of its own, so that only a lost machine or network is silent: three
 * renewals missed and one look, and its job is another worker's within a minute.
 */
export const LOCK_TIMINGS: LockTimings = { lockMs: 30_000, renewMs: 10_000, stalledMs: 10_000 };

/** Of all keys in Redis. */
export const PREFIX = 'isolab';
