import { expect, test } from 'vitest';
import { fromDimacs, toDimacs } from '../src/index.ts';

test('in DIMACS, literals count from 1 and are negative when negated', () => {
  expect([0, 1, 2, 3].map(toDimacs)).toEqual([1, -1, 2, -2]);
  expect([1, -1, 2, -2].map(fromDimacs)).toEqual([0, 1, 2, 3]);
});
