import { expect, test } from 'vitest';
import { groupsOf } from '../src/measurement/cells.ts';
import { atScale } from '../src/index.ts';
import { experimentWith } from './support/laboratory.ts';

const series = ['a', 'b', 'c'].map((name) => ({ name, checker: 'quick' }));
const big = experimentWith({
  series,
  grid: { ci: [1, 2, 3, 4, 5, 6], laptop: [1], paper: [1] },
  repeats: { ci: 2, laptop: 1, paper: 1 },
});
const order = (seed: number): string[] =>
  groupsOf(big, 'ci', seed)
    .flat()
    .map(({ x, series: { name }, repeat }) => `${repeat} ${x} ${name}`);

test('every cell comes once, series of a point together, repeats one after another', () => {
  const groups = groupsOf(big, 'ci', 7);
  expect(new Set(order(7)).size).toBe(36);
  for (const group of groups) {
    expect(new Set(group.map(({ x }) => x)).size).toBe(1);
    expect(group.map(({ series: { name } }) => name).toSorted()).toEqual(['a', 'b', 'c']);
  }
  expect(groups.map(([cell]) => cell!.repeat)).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
});

test('a series that takes long is measured in the first repeat alone', () => {
  const slow = experimentWith({
    series: [
      { name: 'quick', checker: 'quick' },
      { name: 'slow', checker: 'tool:slow', once: true },
    ],
    repeats: { ci: 3, laptop: 1, paper: 1 },
  });
  const cells = groupsOf(slow, 'ci', 1).flat();
  const repeatsOf = (wanted: string): number[] =>
    [...new Set(cells.filter(({ series: { name } }) => name === wanted).map(({ repeat }) => repeat))].toSorted();
  expect(repeatsOf('quick')).toEqual([0, 1, 2]);
  expect(repeatsOf('slow')).toEqual([0]);
});

test('the order is that of the seed', () => {
  expect(order(1)).toEqual(order(1));
  expect(order(1)).not.toEqual(order(2));
  expect(order(1).toSorted()).toEqual(order(2).toSorted());
});

test('the point, the scale and the repeat decide the history', () => {
  const history = {
    workload: 'general',
    set: { keys: '$x * 60', reads: { ci: 0.1, laptop: 0.2, paper: 0.3 } },
    sessions: '$x',
    transactions: { ci: 90, laptop: 900, paper: 9000 },
    of: 'all sessions',
    level: 'causal',
    seed: 5,
  } as const;
  const [first, second] = groupsOf(
    experimentWith({ history, repeats: { ci: 2, laptop: 1, paper: 1 }, grid: { ci: [3], laptop: [3], paper: [3] } }),
    'ci',
    1,
  );
  expect(first![0]!.source).toEqual({
    kind: 'simulated',
    workload: 'general',
    set: { keys: '180', reads: '0.1' },
    sessions: 3,
    transactions: 30,
    level: 'causal',
    seed: 5,
    faults: {},
    retry: false,
    times: false,
  });
  expect(second![0]!.source).toMatchObject({ seed: 6 });
});

test('a series may have a history of its own, or another value of a field', () => {
  const own = [
    { name: 'dataset', checker: 'quick', history: { dataset: 'six/$x@$scale' } },
    { name: 'field', checker: 'quick', history: { seed: 9 } },
    { name: 'later', checker: 'quick', scales: ['paper' as const] },
  ];
  const experiment = experimentWith({ series: own, grid: { ci: [2], laptop: [2], paper: [2] } });
  const cells = groupsOf(experiment, 'ci', 1).flat();
  expect(cells.find(({ series: { name } }) => name === 'dataset')!.source).toEqual({ kind: 'dataset', id: 'six/2@ci' });
  expect(cells.find(({ series: { name } }) => name === 'field')!.source).toMatchObject({ seed: 9, sessions: 2 });
  expect(cells).toHaveLength(2);
  expect(atScale(experiment, 'paper').series.map(({ name }) => name)).toEqual(['dataset', 'field', 'later']);
});
