import type { RunContext, Verdict } from '@isolab/contract';
import type { History } from '@isolab/history';
import { TestContext, defaultsOf, prepare } from '@isolab/testkit';
import { type Interpretation, type PolysiOptions, interpretViolation, polysi } from '../../src/index.ts';

export interface Run {
  readonly verdict: Verdict;
  readonly counters: Readonly<Record<string, number>>;
  readonly stages: readonly string[];
}

export function run(history: History, options: Partial<PolysiOptions> = {}, flags: Partial<RunContext> = {}): Run {
  const context = new TestContext({ certify: false });
  const verdict = polysi.check(
    prepare(history),
    'snapshot-isolation',
    { ...defaultsOf(polysi), ...options },
    { ...context, ...flags },
  );
  return { verdict: verdict as Verdict, counters: context.counters, stages: context.stages };
}

export const interpret = (history: History): Interpretation | null =>
  interpretViolation(prepare(history), new TestContext({ certify: false }));

/** The name and the transactions of the first anomaly, or null. */
export function anomaly({ verdict }: Run): [string, ...number[]] | null {
  if (verdict.status !== 'violated') return null;
  const [{ name, transactions }] = verdict.anomalies as [(typeof verdict.anomalies)[number]];
  return [name, ...transactions];
}
