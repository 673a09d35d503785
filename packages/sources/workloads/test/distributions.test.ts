import { describe, expect, test } from 'vitest';
import {
  type Distribution,
  Random,
  distinct,
  exponential,
  hotspot,
  jepsenExponential,
  uniform,
  zipfian,
} from '../src/index.ts';

const DRAWS = 40_000;

function shares(size: number, distribution: Distribution): number[] {
  const random = new Random('shares');
  const counts = Array.from({ length: size }, () => 0);
  for (let i = 0; i < DRAWS; i++) counts[distribution(random)]!++;
  return counts.map((count) => count / DRAWS);
}

/** Pearson's statistic over its degrees of freedom: about 1 if the shares are those expected. */
function misfit(found: readonly number[], expected: readonly number[]): number {
  const total = expected.reduce((sum, e) => sum + e, 0);
  const sum = found.reduce((s, share, i) => {
    const wanted = (expected[i]! / total) * DRAWS;
    return s + (share * DRAWS - wanted) ** 2 / wanted;
  }, 0);
  return sum / (found.length - 1);
}

const range = (size: number): number[] => Array.from({ length: size }, (_, i) => i);

describe('distributions agree with their formulas', () => {
  test.each<[string, number, Distribution, (i: number) => number]>([
    ['uniform', 20, uniform(20), () => 1],
    ['zipfian with exponent 0.5', 20, zipfian(20, 0.5), (i) => (i + 1) ** -0.5],
    ['zipfian with exponent 1.5', 20, zipfian(20, 1.5), (i) => (i + 1) ** -1.5],
    ['hotspot', 20, hotspot(20), (i) => (i < 4 ? 0.8 / 4 : 0.2 / 16)],
    ['Jepsen’s exponential', 8, jepsenExponential(8, 2), (i) => 2 ** i],
  ])('%s', (_, size, distribution, expected) => {
    expect(misfit(shares(size, distribution), range(size).map(expected))).toBeLessThan(2.5);
  });

  test('other distributions are distinguished from them', () => {
    expect(
      misfit(
        shares(20, zipfian(20, 0.5)),
        range(20).map(() => 1),
      ),
    ).toBeGreaterThan(20);
  });

  test('exponential: each tenth of the keys is drawn e times less often than the one before', () => {
    const found = shares(100, exponential(100));
    const tenth = (n: number): number => found.slice(10 * n, 10 * n + 10).reduce((sum, share) => sum + share, 0);
    expect(tenth(0) / tenth(1)).toBeCloseTo(Math.E, 0);
    expect(tenth(1) / tenth(2)).toBeCloseTo(Math.E, 0);
  });

  test.each([1, 2, 3])('a hotspot of %i keys', (size) => {
    expect(shares(size, hotspot(size)).every((share) => share > 0)).toBe(true);
  });

  test('distinct numbers are distinct, even where the distribution hardly gives some', () => {
    expect(new Set(distinct(zipfian(10, 9), 10, 10, new Random(1))).size).toBe(10);
    expect(distinct(uniform(3), 3, 8, new Random(1)).toSorted()).toEqual([0, 1, 2]);
  });
});

describe('a seed', () => {
  const numbers = (random: Random): number[] => range(50).map(() => random.fraction());

  test('a seed gives the same numbers again', () => expect(numbers(new Random(7))).toEqual(numbers(new Random('7'))));

  test('a seed gives other numbers than the next one', () =>
    expect(numbers(new Random(7))).not.toEqual(numbers(new Random(8))));

  test('a seed has forks that do not depend on earlier draws', () => {
    const random = new Random(1);
    const before = numbers(random.fork('a'));
    numbers(random);
    expect(numbers(random.fork('a'))).toEqual(before);
    expect(numbers(random.fork('b'))).not.toEqual(before);
  });
});
