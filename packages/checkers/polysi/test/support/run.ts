import type { InputOf, RunContext, Verdict } from '@isolab/contract';
import { type History, buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { type Interpretation, type PolysiOptions, interpretViolation, polysi } from '../../src/index.ts';

export interface Run {
  readonly verdict: Verdict;
  readonly counters: Readonly<Record<string, number>>;
  readonly stages: readonly string[];
}

export function inputOf(history: History): InputOf<'history'> {
  const index = buildReadFrom(history);
  return { kind: 'history', history, index, internal: findInternalAnomalies(history, index) };
}

const silent: RunContext = {
  certify: false,
  findAll: false,
  stage: () => {},
  count: () => {},
  progress: () => {},
  tick: () => {},
};

export function run(history: History, options: Partial<PolysiOptions> = {}, flags: Partial<RunContext> = {}): Run {
  const counters: Record<string, number> = {};
  const stages: string[] = [];
  const context: RunContext = {
    ...silent,
    stage: (name) => void stages.push(name),
    count: (name, amount) => void (counters[name] = (counters[name] ?? 0) + amount),
    ...flags,
  };
  const defaults = Object.fromEntries(
    Object.entries(polysi.info.options).map(([name, option]) => [name, option.default]),
  ) as unknown as PolysiOptions;
  const verdict = polysi.check(inputOf(history), 'snapshot-isolation', { ...defaults, ...options }, context);
  return { verdict: verdict as Verdict, counters, stages };
}

export const interpret = (history: History): Interpretation | null => interpretViolation(inputOf(history), silent);

/** The name and the transactions of the first anomaly, or null. */
export function anomaly({ verdict }: Run): [string, ...number[]] | null {
  if (verdict.status !== 'violated') return null;
  const [{ name, transactions }] = verdict.anomalies as [(typeof verdict.anomalies)[number]];
  return [name, ...transactions];
}
