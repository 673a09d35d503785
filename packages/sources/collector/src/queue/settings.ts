/** Timings with which the members of a queue detect that a worker has disappeared. */
export interface LockTimings {
  /** Time after which a lock that is not renewed expires. */
  readonly lockMs: number;
  /** Interval at which a worker renews its lock and learns whether its job is still wanted. */
  readonly renewMs: number;
  /** Interval at which workers look for jobs with expired locks. */
  readonly stalledMs: number;
}

/**
 * A worker renews its locks from a separate thread, so only a lost machine or network stops the renewals. After three
 * missed renewals and one check, another worker gets the job within a minute.
 */
export const LOCK_TIMINGS: LockTimings = { lockMs: 30_000, renewMs: 10_000, stalledMs: 10_000 };

export const PREFIX = 'isolab';
