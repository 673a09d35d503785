import type { IndexedHistory, LevelName, RunContext, Verdict } from '@isolab/contract';
import type { History } from '@isolab/history';
import { inputFor } from '@isolab/testkit';
import { type ViperOptions, viper } from '../../src/index.ts';

const DEFAULTS = Object.fromEntries(
  Object.entries(viper.info.options).map(([name, { default: value }]) => [name, value]),
) as unknown as ViperOptions;

export interface Run {
  readonly verdict: Verdict;
  readonly input: IndexedHistory;
  readonly counters: Readonly<Record<string, number>>;
  readonly stages: readonly string[];
}

export function check(history: History, level: LevelName, options: Partial<ViperOptions> = {}): Run {
  const counters: Record<string, number> = {};
  const stages: string[] = [];
  const context: RunContext = {
    certify: true,
    findAll: false,
    stage: (name) => void stages.push(name),
    count: (name, amount) => {
      counters[name] = (counters[name] ?? 0) + amount;
    },
    progress() {},
    tick() {},
  };
  const input = inputFor(viper, history);
  const verdict = viper.check(input, level, { ...DEFAULTS, ...options }, context) as Verdict;
  return { verdict, input, counters, stages };
}

/** The certificate of a verdict. */
export function certificateOf(verdict: Verdict) {
  if (verdict.status === 'satisfied') return verdict.certificate;
  return verdict.status === 'violated' ? verdict.anomalies[0]!.certificate : undefined;
}
