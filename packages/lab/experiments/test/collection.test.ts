import type { ResultRow } from '../src/measurement/row-shape.ts';
import { expect, test } from 'vitest';
import { Collection } from '../src/queue/collection.ts';
import { type GroupReport, keptOf } from '../src/queue/job.ts';

const row = (name: string): ResultRow => ({ series: name }) as ResultRow;
const told = (...cells: number[]) => cells.map((cell) => ({ cell, row: row(`cell ${cell}`) }));
const report = (attempt: number, host: string, ...cells: number[]): GroupReport => ({
  attempt,
  host,
  cells: told(...cells),
});

const collection = (size = 3): Collection => {
  const made = new Collection();
  made.expect('group', size);
  return made;
};
const newsOf = (from: Collection, what: GroupReport, id = 'group') => {
  const { cells, complete } = from.take(id, what);
  return [cells.map(({ cell }) => cell), complete];
};

test('a report that grows reports every cell once, and the end once', () => {
  const group = collection();
  expect(newsOf(group, report(1, 'a', 0))).toEqual([[0], false]);
  expect(newsOf(group, report(1, 'a', 0))).toEqual([[], false]);
  expect(group.missingOf('group')).toEqual([1, 2]);
  expect(newsOf(group, report(1, 'a', 0, 2, 1))).toEqual([[2, 1], true]);
  expect(group.missing).toEqual([]);
  expect(newsOf(group, report(1, 'a', 0, 2, 1))).toEqual([[], false]);
});

test('a row of a worker that has lost its group is dropped', () => {
  const group = collection();
  expect(newsOf(group, report(1, 'a', 0))).toEqual([[0], false]);
  expect(newsOf(group, report(2, 'a', 0, 1))).toEqual([[1], false]);
  expect(newsOf(group, report(1, 'a', 0, 2))).toEqual([[], false]);
  expect(newsOf(group, report(2, 'a', 0, 1, 2))).toEqual([[2], true]);
});

test('a group that moves to another kind of machine is measured there as a whole', () => {
  const group = collection();
  expect(newsOf(group, report(1, 'a', 0, 1))).toEqual([[0, 1], false]);
  expect(newsOf(group, report(2, 'b', 2))).toEqual([[2], false]);
  expect(newsOf(group, report(2, 'b', 2, 0, 1))).toEqual([[0, 1], true]);
  expect(keptOf(report(1, 'a', 0, 1), 'b')).toEqual([]);
  const host = JSON.stringify(['a machine', 'v20']);
  const known = { ...report(1, host), cells: [0, 1].map((cell) => ({ cell, row: null })) };
  expect(keptOf(known, host)).toHaveLength(2);
  expect(keptOf(report(1, host, 0), host)).toEqual([]); // rows that are none
  expect(keptOf(0, 'a')).toEqual([]); // the progress of a job that has not begun
});

test('attempts count again in a queue that was lost, and reported cells stay reported', () => {
  const group = collection(2);
  expect(newsOf(group, report(3, 'a', 0))).toEqual([[0], false]);
  group.forgetAttempts('group');
  expect(newsOf(group, report(1, 'a', 0, 1))).toEqual([[1], true]);
});

test('finished groups, and cells of no group, are ignored', () => {
  const group = collection(2);
  expect(newsOf(group, report(1, 'a', 0), 'of an earlier run')).toEqual([[], false]);
  expect(newsOf(group, report(1, 'a', 2, -1))).toEqual([[], false]);
  group.close('group');
  expect(newsOf(group, report(1, 'a', 0, 1))).toEqual([[], false]);
});
