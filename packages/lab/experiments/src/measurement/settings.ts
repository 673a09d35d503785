/** Address of the queue, and the intervals in which its two sides detect that the other has gone. */
import { LOCK_TIMINGS, type LockTimings } from '@isolab/collector/queue';

export interface QueueOptions {
  /** redis://HOST:PORT/DATABASE */
  readonly url: string;
  readonly timings?: Partial<Timings>;
}

export interface Timings extends LockTimings {
  /** Interval in which a producer requests missed reports and renews its hold. */
  readonly askMs: number;
  /** Time after which a producer loses the queue if it does not renew its hold. */
  readonly holdMs: number;
}

/**
 * A producer that generates a large history is silent for about six seconds per million operations, and must not lose
 * the queue because of that.
 */
const TIMINGS: Timings = { ...LOCK_TIMINGS, askMs: 10_000, holdMs: 120_000 };

/** A group that keeps taking down its workers must not be tried forever. */
export const WORKERS_LOST_AT_MOST = 2;

export const QUEUE = 'cells';

export const timingsOf = ({ timings }: QueueOptions): Timings => ({ ...TIMINGS, ...timings });
