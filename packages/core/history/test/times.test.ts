import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_TIME, Times, sortByTime } from '../src/index.ts';

const someTimes = fc.array(
  fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -3n, max: 3n })),
);

test('times are sorted like big integers, and equal times keep their order', () => {
  fc.assert(
    fc.property(someTimes, (times) => {
      const column = new Times(BigInt64Array.from(times));
      const expected = times
        .map((_, i) => i)
        .toSorted((a, b) => (times[a]! < times[b]! ? -1 : times[a]! > times[b]! ? 1 : a - b));
      expect([...sortByTime(Int32Array.from(times.keys()), column)]).toEqual(expected);
    }),
  );
});

test('an entry is before another entry if its time is less', () => {
  fc.assert(
    fc.property(someTimes, someTimes, (a, b) => {
      const [first, second] = [new Times(BigInt64Array.from(a)), new Times(BigInt64Array.from(b))];
      for (let i = 0; i < Math.min(a.length, b.length); i++) expect(first.isBefore(i, second, i)).toBe(a[i]! < b[i]!);
    }),
  );
});

test('only the least number means an absent time', () => {
  const column = new Times(BigInt64Array.from([NO_TIME, NO_TIME + 1n, 0n]));
  expect([0, 1, 2].map((i) => column.isKnown(i))).toEqual([false, true, true]);
});
