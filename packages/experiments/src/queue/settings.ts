/** Where the queue is, and how its two sides notice that the other one has gone. */

export interface QueueOptions {
  /** redis://HOST:PORT/DATABASE */
  readonly url: string;
  readonly timings?: Partial<Timings>;
}

export interface Timings {
  /** How long a group stays with a worker that does not say that it is still there. */
  readonly lockMs: number;
  /** How often a worker says so; and how soon it learns that its group is no longer wanted. */
  readonly renewMs: number;
  /** How often workers look for groups whose worker has gone. */
  readonly stalledMs: number;
  /** How often a producer asks for what it was not told, and says that it is still there. */
  readonly askMs: number;
  /** How long the queue stays with a producer that does not say so. */
  readonly holdMs: number;
}

/**
 * A worker says that it is there from a thread of its own, so that only a lost machine or network is silent: three
 * renewals missed and one look, and its group is another worker's within a minute. A producer that makes a large
 * history is silent meanwhile, about six seconds for a million operations, and must not lose the queue by that.
 */
const TIMINGS: Timings = {
  lockMs: 30_000,
  renewMs: 10_000,
  stalledMs: 10_000,
  askMs: 10_000,
  holdMs: 120_000,
};

/** Whatever takes its workers down again and again is not tried for ever. */
export const WORKERS_LOST_AT_MOST = 2;

export const QUEUE = 'cells';
/** Of all keys in Redis. */
export const PREFIX = 'isolab';

export const timingsOf = ({ timings }: QueueOptions): Timings => ({ ...TIMINGS, ...timings });
