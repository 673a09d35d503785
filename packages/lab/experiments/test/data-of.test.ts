import { expect, test } from 'vitest';
import { dataOf } from '../src/datasets/data-of.ts';
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
