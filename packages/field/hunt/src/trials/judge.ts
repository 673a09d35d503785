import type { LevelName } from '@isolab/contract';
import { buildReadFrom } from '@isolab/history';
import { type CheckResult, FormatError, type Opened, check, open } from 'isolab';
import { existsSync } from 'node:fs';
import { type Nearness, nearnessOf } from '../draws/nearness.ts';
import type { TrialVerdict } from './options.ts';
import { readResults } from './results.ts';

export interface Judged {
  readonly verdict: TrialVerdict;
  readonly reason: string | null;
  readonly near: Nearness;
  /** The data about a violation that the rest of the hunt needs. */
  readonly violation: { readonly input: Opened; readonly result: CheckResult } | null;
  /** A wrong result of a schedule in SQL. */
  readonly wrong?: ReturnType<typeof readResults>['wrong'];
}

interface JudgeOptions {
  readonly level: LevelName;
  readonly timeMs: number;
  readonly signal: AbortSignal;
}

/** Reads the result of schedules in SQL, which were compared while they were played. */
export function judgeResults(path: string): Judged {
  if (!existsSync(path)) return undecided('nothing was played');
  const { schedules, wrong } = readResults(path);
  const verdict = wrong !== null ? 'violated' : schedules > 0 ? 'satisfied' : 'empty';
  return { verdict, reason: null, near: {}, violation: null, wrong };
}

/** Checks a history while the next one is being collected. */
export async function judge(path: string, { level, timeMs, signal }: JudgeOptions): Promise<Judged> {
  if (!existsSync(path)) return undecided('nothing was collected');
  let input: Opened;
  try {
    input = await open(path);
  } catch (error) {
    if (error instanceof FormatError) return undecided(error.message);
    throw error;
  }
  const result = await checked(input, { level, timeMs, signal });
  return {
    verdict: result.levels[level]?.unknown?.reason === 'nothing-to-judge' ? 'empty' : result.verdict,
    reason: result.reason,
    near: input.kind === 'history' ? nearnessOf(input.history, buildReadFrom(input.history), level) : {},
    violation: result.verdict === 'violated' ? { input, result } : null,
  };
}

/** Nearly all checks take less time than the start of a thread; the others start over in a thread. */
async function checked(input: Opened, options: JudgeOptions): Promise<CheckResult> {
  const quick = await check(input, { ...options, timeMs: Math.min(QUICK_MS, options.timeMs), place: 'thread' });
  const isSlow = quick.runs.some(({ verdict }) => verdict.status === 'unknown' && verdict.reason === 'timeout');
  return isSlow && options.timeMs > QUICK_MS ? check(input, options) : quick;
}

const QUICK_MS = 300;

const undecided = (reason: string): Judged => ({ verdict: 'unknown', reason, near: {}, violation: null });
