import { expect, test } from 'vitest';
import { NumberSet, PairSet } from '../src/recording/sets.ts';
import { numbersFrom } from './wire/random.ts';

test('a set of numbers has those that were added, and no others', () => {
  const numbers = new NumberSet();
  const added = new Set([0, 31, 32, 32_767, 32_768, 4_294_967_295, 700_001]);
  for (const number of added) numbers.add(number);
  for (const number of added)
    for (const near of [number - 1, number, number + 1]) expect(numbers.has(near)).toBe(added.has(near));
});

test('a set of pairs has those that were added, and no others', () => {
  const pairs = new PairSet();
  const { below } = numbersFrom(3);
  const added = new Set<string>();
  for (let i = 0; i < 20_000; i++) {
    const [first, second] = [`"accounts",${below(30_000)}`, `{"xmin":${below(3)}}`];
    pairs.add(first, second);
    added.add(first + second);
  }
  for (let row = 0; row < 30_000; row++)
    for (let xmin = 0; xmin < 3; xmin++) {
      const [first, second] = [`"accounts",${row}`, `{"xmin":${xmin}}`];
      expect(pairs.has(first, second)).toBe(added.has(first + second));
    }
  expect(pairs.has('"accounts",1{"xmin"', ':0}')).toBe(false);
});
