import type { LevelName, RunContext, Verdict } from '@isolab/contract';
import { type History, buildReadFrom, findInternalAnomalies } from '@isolab/history';
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
  const index = buildReadFrom(history);
  const internal = findInternalAnomalies(history, index);
  const counters: Record<string, number> = {};
  const stages: string[] = [];
  const context: RunContext = {
    certify,
    findAll,
    stage: (name) => stages.push(name),
    count: (name, amount) => (counters[name] = (counters[name] ?? 0) + amount),
    progress: () => {},
    tick: () => {},
  };
  const defaults = Object.fromEntries(
    Object.entries(plume.info.options).map(([name, option]) => [name, option.default]),
  ) as unknown as PlumeOptions;
  const verdict = plume.check(
    { kind: 'history', history, index, internal },
    level,
    { ...defaults, ...options },
    context,
  ) as Verdict;
  return { verdict, counters, stages };
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
