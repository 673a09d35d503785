import type { Budget } from '@isolab/contract';
import type { Report, RunOptions } from '@isolab/runner';

/** Limit on many runs of a checker: they continue until the time is over, or they are aborted. */
export interface Patience {
  readonly aborted: boolean;
  /** Reason for the end, in words; null while it lasts. */
  why(): string | null;
  /** Runs once more within the time that is left; an abort ends it. */
  run(once: (options: RunOptions) => Promise<Report>): Promise<Report>;
}

interface Limits {
  readonly budget: Budget;
  /** Spent share of the time. */
  readonly spentMs: number;
  /** Time that the last run took. */
  readonly lastMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the checker can be loaded elsewhere. */
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
    why: () => (signal?.aborted ? 'it was interrupted' : leftMs() === 0 ? 'the time was over' : null),
    async run(once) {
      // Signals are heard only when this thread waits.
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

/** Runs that are this short need no thread of their own; a longer run starts over in one. */
const SHORT_MS = 250;
const LONG_MS = 1000;
