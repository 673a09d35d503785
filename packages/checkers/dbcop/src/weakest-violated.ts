import type { CheckInput, RunContext, Verdict } from '@isolab/contract';
import { HistoryCheck } from './history-check.ts';
import type { DbcopLevel } from './levels.ts';
import type { DbcopOptions } from './options.ts';

/** The paper's criteria (Table 2), weak ones before strong ones. */
export const CRITERIA = [
  'read-committed-dbcop',
  'read-atomic',
  'causal',
  'prefix',
  'snapshot-isolation',
  'serializable',
] as const satisfies readonly DbcopLevel[];

export interface WeakestViolated {
  /** The first of the criteria that the history violates, or null. */
  readonly level: DbcopLevel | null;
  /** The verdict on that one, or that on the last one, which is satisfied. */
  readonly verdict: Verdict;
}

/** The published tool's incremental mode: one criterion after another until one is violated, with shared parts. */
export function weakestViolated(input: CheckInput, options: DbcopOptions, context: RunContext): WeakestViolated {
  const history = new HistoryCheck(input, options);
  let verdict: Verdict = { status: 'satisfied' };
  for (const level of CRITERIA) {
    verdict = history.check(level, context);
    context.count('levelsChecked', 1);
    if (verdict.status === 'violated') return { level, verdict };
  }
  return { level: null, verdict };
}
