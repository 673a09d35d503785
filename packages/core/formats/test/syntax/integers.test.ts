import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EdnReader } from '../../src/syntax/edn.ts';
import { JsonReader } from '../../src/syntax/json.ts';
import { EDGE_INTEGERS, problemOf, toBytes } from './helpers.ts';

const TEXTS = EDGE_INTEGERS.map(String);

interface Read {
  fits: boolean;
  value: bigint;
  generic: number | bigint;
}

/** Expected result of reading `value`. */
const exactly = (value: bigint): Read => ({
  fits: BigInt.asIntN(64, value) === value,
  value,
  generic: value > -(2n ** 53n) && value < 2n ** 53n ? Number(value) : value,
});

describe.each([
  ['JSON', new JsonReader()],
  ['EDN', new EdnReader()],
])('integers of %s', (_name, reader) => {
  function read(text: string): Read {
    const bytes = toBytes(text);
    reader.reset(bytes, 0, bytes.length);
    const fits = reader.readInteger();
    reader.finish();
    const { hi, lo, bigText } = reader;
    expect([hi | 0, lo | 0]).toEqual([hi, lo]);
    return { fits, value: fits ? (BigInt(hi) << 32n) | BigInt(lo >>> 0) : BigInt(bigText), generic: reader.integer() };
  }

  function safe(text: string): number {
    reader.reset(toBytes(text), 0, text.length);
    return reader.readSafeInteger();
  }

  test.each(TEXTS)('%s is exact', (text) => expect(read(text)).toEqual(exactly(BigInt(text))));

  test('integers are exact at any size', () => {
    const digits = fc
      .tuple(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.bigInt({ min: 0n, max: 70n }))
      .map(([value, shift]) => value >> shift);
    fc.assert(
      fc.property(digits, (value) => {
        expect(read(String(value))).toEqual(exactly(value));
      }),
    );
  });

  test('integers keep digits that exceed 64 bits', () => {
    read('-123456789012345678901234567890');
    expect(reader.bigText).toBe('-123456789012345678901234567890');
    read('7');
    expect(reader.bigText).toBe('');
  });

  test('integers have at most 4096 digits', () => {
    expect(read('9'.repeat(4096)).value).toBe(10n ** 4096n - 1n);
    expect(problemOf(() => read('9'.repeat(4097)))).toBe(
      `line 1, column 1: found '${'9'.repeat(24)}…' where an integer of at most 4096 digits was expected`,
    );
  });

  test('integers from 2^53 on are refused as safe integers', () => {
    expect(safe(' 9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(safe('-9007199254740991')).toBe(Number.MIN_SAFE_INTEGER);
    expect(problemOf(() => safe(' 9007199254740992'))).toBe(
      "line 1, column 2: found '9007199254740992' where an integer between -2^53 and 2^53 was expected",
    );
  });

  test.each([
    ['-', "line 1, column 1: found '-' where an integer was expected"],
    ['01', "line 1, column 1: found '01' where a number without leading zeros was expected"],
    ['-00', "line 1, column 1: found '-00' where a number without leading zeros was expected"],
    ['1.0', "line 1, column 1: found '1.0' where an integer was expected"],
    ['1e3', "line 1, column 1: found '1e3' where an integer was expected"],
    ['"1"', 'line 1, column 1: found "1" where an integer was expected'],
    ['', 'line 1, column 1: found the end of the input where an integer was expected'],
  ])('the reader refuses %j', (text, message) => expect(problemOf(() => read(text))).toBe(message));
});
