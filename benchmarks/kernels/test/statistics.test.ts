import { expect, test } from 'vitest';
import { compareRounds, isTooSlow, median } from '../src/comparison/statistics.ts';

const around = (middle: number): number[] => [0.98, 1.01, 1, 1.02, 0.99, 1, 1.01, 0.99].map((share) => share * middle);

test('a kernel that differs by more than its noise is faster or slower', () => {
  expect(compareRounds('k', around(100), around(120).toReversed())).toMatchObject({ verdict: 'slower', name: 'k' });
  expect(compareRounds('k', around(120), around(100).toReversed())).toMatchObject({ verdict: 'faster' });
  expect(compareRounds('k', around(100), around(100).toReversed())).toMatchObject({ verdict: 'same' });
});

test('a machine that slows down for both changes nothing, and one odd round decides nothing', () => {
  const slowing = [1, 2, 4, 8, 16, 32];
  const { ratio, low, high, verdict } = compareRounds(
    'k',
    slowing,
    slowing.map((time) => time * 1.1),
  );
  expect([ratio, low, high].map((number) => number.toFixed(6))).toEqual(['1.100000', '1.100000', '1.100000']);
  expect(verdict).toBe('slower');
  expect(compareRounds('k', around(100), [...around(100).slice(1), 1000]).verdict).toBe('same');
});

test('the interval is that of Student', () => {
  // Logarithms 0.1, 0.2, 0.3, 0.4: mean 0.25, deviation 0.1291, t = 5.841 for 3 degrees of freedom.
  const second = [0.1, 0.2, 0.3, 0.4].map((log) => Math.exp(log));
  const { low, high } = compareRounds('k', [1, 1, 1, 1], second);
  expect(Math.log(low)).toBeCloseTo(0.25 - (5.841 * 0.1291) / 2, 4);
  expect(Math.log(high)).toBeCloseTo(0.25 + (5.841 * 0.1291) / 2, 4);
});

test('slower is too slow beyond the threshold', () => {
  const slower = compareRounds('k', around(100), around(104));
  expect(slower.verdict).toBe('slower');
  expect([isTooSlow(slower, 0.05), isTooSlow(slower, 0.03)]).toEqual([false, true]);
});

test('the median of an even number lies between the middle ones', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
});
