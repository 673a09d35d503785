import { expect, test } from 'vitest';
import { aggregateOf } from '../src/rows/scans.ts';

test('aggregates leave out rows without the column, and are null of none', () => {
  const rows = [{ n: 2 }, { n: null }, { n: 1 }, {}];
  const all = (['count', 'sum', 'min', 'max'] as const).map((kind) => aggregateOf(kind, 'n', rows));
  expect(all).toEqual([4, 3, 1, 2]);
  expect(aggregateOf('max', 'n', [])).toBeNull();
  expect(aggregateOf('count', null, [])).toBe(0);
});
