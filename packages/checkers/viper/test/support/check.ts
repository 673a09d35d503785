import type { IndexedHistory, LevelName, Verdict } from '@isolab/contract';
import type { History } from '@isolab/history';
import { TestContext, defaultsOf, inputFor } from '@isolab/testkit';
import { type ViperOptions, viper } from '../../src/index.ts';

export interface Run {
  readonly verdict: Verdict;
  readonly input: IndexedHistory;
  readonly counters: Readonly<Record<string, number>>;
  readonly stages: readonly string[];
}

export function check(history: History, level: LevelName, options: Partial<ViperOptions> = {}): Run {
  const context = new TestContext();
  const input = inputFor(viper, history);
  const verdict = viper.check(input, level, { ...defaultsOf(viper), ...options }, context) as Verdict;
  return { verdict, input, counters: context.counters, stages: context.stages };
}

/** The certificate of a verdict. */
export function certificateOf(verdict: Verdict) {
  if (verdict.status === 'satisfied') return verdict.certificate;
  return verdict.status === 'violated' ? verdict.anomalies[0]!.certificate : undefined;
}
