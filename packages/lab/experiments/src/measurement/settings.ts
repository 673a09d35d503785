/** Where the queue is, and how its two sides notice that the other one has gone. */
import { LOCK_TIMINGS, type LockTimings } from '@isolab/collector/queue';

export interface QueueOptions {
  /** redis://HOST:PORT/DATABASE */
  readonly url: string;
  readonly timings?: Partial<Timings>;
}

export interface Timings extends LockTimings {
  /** Interval in which a producer asks for reports that it missed, and renews its hold. */
  readonly askMs: number;
  /** Time that the queue stays with a producer that does not say so. */
  readonly holdMs: number;
}

/**
 * A producer that makes a large history is silent meanwhile, about six seconds for a million operations, and must not
 * lose the queue by that.
 */
const TIMINGS: Timings = { ...LOCK_TIMINGS, askMs: 10_000, holdMs: 120_000 };

/** Whatever takes its workers down again and again is not tried for ever. */
export const WORKERS_LOST_AT_MOST = 2;

export const QUEUE = 'cells';

export const timingsOf = ({ timings }: QueueOptions): Timings => ({ ...TIMINGS, ...timings });
