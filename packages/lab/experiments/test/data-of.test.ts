import { expect, test } from 'vitest';
import { dataOf } from '../src/datasets/data-of.ts';
import { sourceAt } from '../src/experiment/experiment.ts';
import type { Dataset, ExperimentFile } from '../src/index.ts';
import { experimentWith } from './support/laboratory.ts';

const dataset = (id: string, kind: string): Dataset => ({ id, source: { kind } }) as unknown as Dataset;
const manifest = {
  version: 1,
  datasets: [dataset('a/1', 'archive'), dataset('made', 'generated'), dataset('crafted', 'committed')],
} as const;

const on = (history: ExperimentFile['series'][number]['history'], changes: Partial<ExperimentFile> = {}) => {
  const series = { name: 'Quick', checker: 'quick', ...(history !== undefined && { history }) };
  return dataOf(experimentWith({ series: [series], ...changes }), series, 'ci', manifest);
};

test('a series stands on the data of its source', () => {
  expect(on(undefined)).toBe('simulated');
  expect(on({ sessions: 3 })).toBe('simulated');
  expect(on({ dataset: 'made' })).toBe('simulated');
  expect(on({ dataset: 'crafted' })).toBe('made by hand');
  expect(on({ dataset: 'a/1' })).toBe('public');
  expect(on({ dataset: 'a/1' }, { data: 'paper’s own' })).toBe('paper’s own');
  const recipe = { workload: 'general', sessions: 2, transactions: 2, level: 'serializable', seed: 1 };
  expect(on(recipe, { history: { datasets: ['a/'] } })).toBe('simulated');
  expect(on({ datasets: ['a/'] }, { data: 'paper’s own' })).toBe('paper’s own');
});

test('a simulated series beside a collected history has its workload, and nothing else of it', () => {
  const history = {
    collect: 'postgres@18.4',
    isolation: 'serializable',
    workload: 'general',
    set: { keys: 5 },
    sessions: 3,
    transactions: '$x',
    of: 'all sessions',
    seconds: 9,
    filled: true,
    retry: true,
    seed: 7,
  } as const;
  const series = { name: 'simulated', checker: 'quick', history: { level: 'causal' } };
  expect(sourceAt(experimentWith({ history, series: [series] }), series, 30, 'ci', 2)).toEqual({
    kind: 'simulated',
    level: 'causal',
    workload: 'general',
    set: { keys: '5' },
    sessions: 3,
    transactions: 10,
    faults: {},
    retry: true,
    seed: 9,
    times: false,
  });
  const own = { ...series, history: { hunt: 'postgres@12.3', isolation: 'serializable', seed: 1 } };
  const hunted = sourceAt(experimentWith({ history, series: [own as never] }), own as never, 30, 'ci', 0);
  expect(hunted.kind).toBe('hunted');
});
