import type { Budget } from '@isolab/contract';
import type { Report, RunOptions } from '@isolab/runner';

/** Limit on a series of checker runs, which continue until a timeout or an abort. */
export interface Patience {
  readonly aborted: boolean;
  /** Returns the reason for the end in words, or null before the end. */
  why(): string | null;
  /** Runs the checker once more, within the remaining time and until an abort. */
  run(once: (options: RunOptions) => Promise<Report>): Promise<Report>;
}

interface Limits {
  readonly budget: Budget;
  /** Share of the time that was used. */
  readonly spentMs: number;
  readonly lastMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the checker can be loaded in another thread. */
  readonly canMove: boolean;
}

export function patienceOf({ budget, spentMs, lastMs: firstMs, signal, canMove }: Limits): Patience {
  const { timeMs, ...others } = budget;
  const deadline = timeMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeMs - spentMs;
  const leftMs = (): number => Math.max(0, deadline - performance.now());
  let lastMs = firstMs;

  const runAt = async (
    once: (options: RunOptions) => Promise<Report>,
    place: 'thread' | 'worker',
    timeLimit: number,
  ): Promise<Report> => {
    const time = Number.isFinite(timeLimit) ? { timeMs: timeLimit } : {};
    const report = await once({
      place,
      pluginPlace: 'worker',
      ...(signal && { signal }),
      budget: { ...others, ...time },
    });
    lastMs = report.wallMs;
    return report;
  };
  return {
    get aborted() {
      return signal?.aborted === true || leftMs() === 0;
    },
    why: () => (signal?.aborted ? 'it was interrupted' : leftMs() === 0 ? 'the time limit was reached' : null),
    async run(once) {
      // Abort events only arrive while this thread waits.
      if (signal) await new Promise((done) => setImmediate(done));
      if (lastMs < SHORT_MS || !canMove) {
        const report = await runAt(once, 'thread', Math.min(leftMs(), canMove ? LONG_MS : Number.POSITIVE_INFINITY));
        const { verdict } = report;
        const tookLong = canMove && verdict.status === 'unknown' && verdict.reason === 'timeout' && leftMs() > 0;
        if (!tookLong) return report;
      }
      return runAt(once, 'worker', leftMs());
    },
  };
}

/** Duration up to which a run stays in this thread. A longer run is restarted in a worker. */
const SHORT_MS = 250;
const LONG_MS = 1000;
