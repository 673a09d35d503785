import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Atom,
  Interner,
  UNKNOWN,
  atomIdentity,
  atomOf,
  countAtoms,
  keyword,
  literal,
  printAtom,
} from '../src/index.ts';

const atom: fc.Arbitrary<Atom> = fc.oneof(
  fc.constant(null),
  fc.constant(UNKNOWN),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.bigInt({ min: -5n, max: 3000n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n + 1n, -1n),
  fc.string({ unit: 'binary' }),
  fc.string().map(keyword),
  fc.string().map(literal),
);

describe('the interner', () => {
  test('the interner maps equal atoms to one id and different atoms to different ids, in order of appearance, and back', () => {
    fc.assert(
      fc.property(fc.array(atom, { maxLength: 300 }), (atoms) => {
        const interner = new Interner();
        const expected = new Map<string, number>();
        for (const a of atoms) {
          const id = interner.atom(a);
          if (!expected.has(atomIdentity(a))) expected.set(atomIdentity(a), expected.size);
          expect(id).toBe(expected.get(atomIdentity(a)));
        }
        expect(interner.size).toBe(expected.size);
        const table = interner.finish();
        expect(countAtoms(table)).toBe(expected.size);
        for (const a of atoms) expect(atomOf(table, expected.get(atomIdentity(a))!)).toEqual(wellFormed(a));
      }),
    );
  });

  test('the interner keeps its ids while direct addressing takes over from hashing', () => {
    const interner = new Interner();
    const late = interner.integer(0, 5000); // too sparse to be addressed directly yet
    const ids = Array.from({ length: 20_000 }, (_, i) => interner.integer(0, i));
    expect(ids[5000]).toBe(late);
    expect(new Set(ids).size).toBe(20_000);
    expect(interner.integer(-1, 5000)).toBe(interner.size - 1);
  });

  test('the interner keeps its ids while direct addressing moves from one dense range to the next', () => {
    const range = fc.record({
      hi: fc.constantFrom(0, 0, 0, -1, 7),
      from: fc.constantFrom(-50, 0, 900, 5000, 70_000, 3_000_000, 3_001_000, 2 ** 31 - 6000, -(2 ** 31)),
      count: fc.integer({ min: 1, max: 6000 }),
      step: fc.constantFrom(1, 1, 2, 5, -1),
      isBatch: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 8 }), fc.boolean(), (ranges, isAgain) => {
        const interner = new Interner();
        const expected = new Map<string, number>();
        for (const { hi, from, count, step, isBatch } of isAgain ? [...ranges, ...ranges] : ranges) {
          const low = Int32Array.from({ length: count }, (_, i) => from + step * i);
          const ids = low.slice();
          if (isBatch) interner.integers(new Int32Array(count).fill(hi), ids, 0, count);
          else ids.forEach((lo, i) => (ids[i] = interner.integer(hi, lo)));
          for (const [i, lo] of low.entries()) {
            const name = `${hi},${lo}`;
            if (!expected.has(name)) expected.set(name, expected.size);
            if (ids[i] !== expected.get(name)) expect([name, ids[i]]).toEqual([name, expected.get(name)]);
          }
        }
        expect(interner.size).toBe(expected.size);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['nil', null],
    ['-42', -42n],
    ['"a \\"b\\""', 'a "b"'],
    [':x', keyword('x')],
    ['1.5', literal('1.5')],
    ['?', UNKNOWN],
  ])('the interner prints %s', (printed, a) => {
    expect(printAtom(a)).toBe(printed);
  });
});

/** Strings travel as UTF-8, in which half a surrogate pair has no form. */
function wellFormed(a: Atom): Atom {
  const fix = (text: string): string => new TextDecoder().decode(new TextEncoder().encode(text));
  if (typeof a === 'string') return fix(a);
  return a !== null && typeof a === 'object' ? { ...a, text: fix(a.text) } : a;
}
