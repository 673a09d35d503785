import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measure } from '../src/plain-data.ts';

describe('plain data', () => {
  test.each<[string, unknown, object]>([
    ['a number', 1, { problem: null, depth: 0, size: 1 }],
    ['an empty list', [], { problem: null, depth: 1, size: 1 }],
    ['a nest', { a: [1, { b: null }], c: 'x' }, { problem: null, depth: 3, size: 6 }],
    ['a field left out', { a: undefined }, { problem: null }],
    ['an object without prototype', Object.create(null), { problem: null }],
    ['infinity', { a: [0, Number.POSITIVE_INFINITY] }, { problem: 'a[1] is Infinity, which JSON cannot represent' }],
    ['a map', { a: { b: new Map() } }, { problem: 'a.b is a Map, expected plain objects and lists' }],
    ['a date', [new Date(0)], { problem: '[0] is a Date, expected plain objects and lists' }],
    ['a symbol', Symbol('s'), { problem: 'a symbol, which JSON cannot represent' }],
  ])('plain data is measured: %s', (_, value, expected) => {
    expect(measure(value)).toMatchObject(expected);
  });

  test('plain data that shares parts is as big as it is when written out, and measuring does not write it out', () => {
    let shared: unknown = [1];
    for (let i = 0; i < 50; i++) shared = [shared, shared];
    expect(measure(shared)).toEqual({ problem: null, depth: 51, size: 2 ** 50 * 3 - 1 });
  });

  test('plain data of a hostile depth is measured without overflow', () => {
    let deep: unknown = 0;
    for (let i = 0; i < 300_000; i++) deep = [deep];
    expect(measure(deep)).toEqual({ problem: null, depth: 300_000, size: 300_001 });
  });

  test('plain data survives JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { problem, size } = measure(value);
        expect(problem).toBeNull();
        const count = (part: unknown): number =>
          typeof part === 'object' && part !== null ? Object.values(part).reduce<number>((n, x) => n + count(x), 1) : 1;
        expect(size).toBe(count(value));
      }),
    );
  });
});
