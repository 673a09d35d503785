import { expect, test } from 'vitest';
import { medianOf, shareOf } from '../src/chart/statistics.ts';

test('the interval of a median leaves out more values the more there are', () => {
  expect(medianOf([3, 1, 2])).toEqual({ value: 2, low: 1, high: 3 });
  expect(medianOf([1, 2, 3, 4])).toEqual({ value: 2.5, low: 1, high: 4 });
  // Tables of the binomial distribution: 2 and 8 of 9 values, 6 and 15 of 20, 10 and 21 of 30.
  const counted = (n: number) => medianOf(Array.from({ length: n }, (_, i) => i + 1));
  expect([8, 9, 20, 30].map((n) => [counted(n).low, counted(n).high])).toEqual([
    [1, 8],
    [2, 8],
    [6, 15],
    [10, 21],
  ]);
});

test('the interval of the median of thousands of values agrees with the binomial distribution', () => {
  const lowOf = (n: number) => medianOf(Array.from({ length: n }, (_, i) => i + 1)).low;
  expect([1000, 1001, 1075, 10_000].map(lowOf)).toEqual([469, 469, 505, 4902]);
});

test('the interval of a share is never empty, and within 0 and 1', () => {
  expect(shareOf(0, 6).low).toBe(0);
  expect(shareOf(0, 6).high).toBeCloseTo(0.39, 2);
  expect(shareOf(15, 30).low).toBeCloseTo(0.33, 2);
  expect(shareOf(15, 30).high).toBeCloseTo(0.67, 2);
});
