import type { CheckerReason, OptionSpec, RunContext, UnknownVerdict } from '@isolab/contract';
import { arrivals } from './arrivals.ts';
import { Aion } from './online.ts';
import { type Stated, writes } from './stated.ts';
import type { Violations } from './violations.ts';

export interface OnlineOptions {
  readonly timeout: number;
  readonly mostInMemory: number;
  readonly batch: number;
  readonly rate: number;
  readonly delay: number;
  readonly deviation: number;
  readonly seed: number;
}

export const ONLINE_OPTIONS: { readonly [Name in keyof OnlineOptions]: OptionSpec<OnlineOptions[Name]> } = {
  timeout: { default: 5000, help: 'Online: wait this many milliseconds for a transaction’s writers' },
  mostInMemory: {
    default: 10_000,
    help: 'Online: collect garbage once this many transactions are in memory; 0: never',
  },
  batch: { default: 500, help: 'Online: let this many transactions arrive at once' },
  rate: { default: 25_000, help: 'Online: let this many transactions arrive per second' },
  delay: { default: 0, help: 'Online: delay each transaction by this many milliseconds on average' },
  deviation: { default: 0, help: 'Online: vary that delay by this standard deviation' },
  seed: { default: 1, help: 'Online: draw the same delays again' },
};

/**
 * Runs Aion on a history in the order in which collectors would deliver it: in commit order, with random delays.
 * Returns the reason why it cannot decide, or null.
 */
export function online(
  stated: Stated,
  commits: Int32Array,
  isSnapshot: boolean,
  options: OnlineOptions,
  violations: Violations,
  context: RunContext,
): UnknownVerdict<CheckerReason> | null {
  const times = timesOf(stated, isSnapshot);
  if (times === null) return unsupported('The timestamps span more than 2^52 units.');
  const { history } = stated;
  const coming = arrivals(commits, history.txnSession, options);
  const mostInMemory = options.mostInMemory === 0 ? Infinity : options.mostInMemory;
  const checker = new Aion(history, times, { isSnapshot, timeoutMs: options.timeout, mostInMemory }, violations);
  for (const [i, t] of coming.order.entries()) {
    if ((i & 1023) === 0) context.tick(1024);
    checker.receive(t, coming.at[t]);
  }
  checker.finish();
  tell(checker, context);
  if (checker.late === 0) return null;
  const detail = `Transactions arrived ${checker.late} times after the reads that they decide had been judged or collected; raise timeout or mostInMemory.`;
  return { status: 'unknown', reason: 'incomplete', detail };
}

export const unsupported = (detail: string): UnknownVerdict<CheckerReason> => ({
  status: 'unknown',
  reason: 'unsupported',
  detail,
});

/**
 * Timestamps as numbers, counted from the smallest; null if they are not exact. A transaction that starts and commits
 * at the same time starts half a unit earlier, so that it does not see itself. If it writes, nothing else commits at
 * that time.
 */
function timesOf(
  { history, startTs, commitTs, committed }: Stated,
  isSnapshot: boolean,
): { readonly start: Float64Array; readonly commit: Float64Array } | null {
  const least = committed.reduce<bigint | null>(
    (found, t) => [found ?? startTs[t], startTs[t], commitTs[t]].reduce((a, b) => (a < b ? a : b)),
    null,
  );
  const numbers = (column: BigInt64Array): Float64Array => {
    const found = new Float64Array(column.length);
    for (const t of committed) found[t] = Number(column[t] - least!);
    return found;
  };
  const start = numbers(startTs);
  const commit = numbers(commitTs);
  if (isSnapshot) for (const t of committed) if (start[t] === commit[t] && writes(history, t)) start[t] -= 0.5;
  const isExact = (time: number): boolean => time <= LARGEST;
  return start.every(isExact) && commit.every(isExact) ? { start, commit } : null;
}

/** The bound below which halves are exact numbers. */
const LARGEST = 2 ** 52;

/** Reports the number of times that verdicts about reads flipped, and the time until they settled. */
function tell({ flips, rectifiedMs, collections }: Aion, context: RunContext): void {
  context.count('collections', collections);
  for (let op = 0; op < flips.length; op++) {
    if (flips[op] === 0) continue;
    context.count('flip-flops', flips[op]);
    context.count(`reads with ${flips[op] > 3 ? '4 or more' : flips[op]} flip-flops`, 1);
    const step = RECTIFIED.find((ms) => rectifiedMs[op] < ms);
    context.count(step === undefined ? 'rectified later' : `rectified within ${step} ms`, 1);
  }
}

const RECTIFIED = [1, 2, 10, 100, 1000];
