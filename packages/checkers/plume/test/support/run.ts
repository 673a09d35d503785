import type { LevelName, Verdict } from '@isolab/contract';
import type { History } from '@isolab/history';
import { TestContext, defaultsOf, prepare } from '@isolab/testkit';
import { type PlumeOptions, plume } from '../../src/index.ts';

export const LEVELS = ['cut-isolation', 'read-committed', 'read-atomic', 'causal'] as const satisfies LevelName[];

export interface Run {
  readonly verdict: Verdict;
  readonly counters: Readonly<Record<string, number>>;
  readonly stages: readonly string[];
}

export function run(
  history: History,
  level: LevelName,
  options: Partial<PlumeOptions> = {},
  { certify = false, findAll = false } = {},
): Run {
  const context = new TestContext({ certify, findAll });
  const verdict = plume.check(prepare(history), level, { ...defaultsOf(plume), ...options }, context) as Verdict;
  return { verdict, counters: context.counters, stages: context.stages };
}

/** The patterns that a run reports, sorted. */
export function patterns({ verdict }: Run): string[] {
  if (verdict.status !== 'violated') return [];
  return [...new Set(verdict.anomalies.map(({ pattern, name }) => pattern ?? name))].toSorted();
}

/** Every anomaly as a line: its pattern or name, and its transactions. */
export function instances({ verdict }: Run): string[] {
  if (verdict.status !== 'violated') return [];
  return verdict.anomalies
    .map(({ pattern, name, transactions }) => `${pattern ?? name} ${transactions.join(' ')}`)
    .toSorted();
}
