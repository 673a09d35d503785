import { ReadFrom, buildReadFrom, locateOperation, toPlain } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { awdit } from '../src/awdit.ts';
import { inputOfBytes } from '../src/files/input.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { describeFormat, readText } from './support/describe-format.ts';
import { ALL_FEATURES } from './support/everything.ts';

const shape: GeneratedShape = {
  key: (n) => BigInt(n) * 6n * 10n ** 18n,
  value: (n) => BigInt(n - 1) + 2n ** 63n * BigInt(n % 2),
  session: (n) => BigInt(n),
  initial: 10n ** 19n, // a value that nothing writes: out of thin air
  operations: ['read', 'write'],
};

await describeFormat(awdit, {
  expressible: arbitraryHistory(shape).map((plain) => ({ ...plain, initial: null })),
  anything: arbitraryHistory({
    ...shape,
    ...ALL_FEATURES,
    key: (n) => (n % 2 ? `k${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? BigInt(n - 2) : `v${n}`),
    session: (n) => `client ${n}`,
    initial: null,
    emptySessions: true,
    emptyTransactions: true,
    thinAir: true,
  }),
});

/** Sessions, their transactions, and the operations of each. */
const readShape = async (text: string): Promise<number[][]> =>
  toPlain(await readText(awdit, text)).sessions.map(({ transactions }) =>
    transactions.map(({ operations }) => operations.length),
  );

describe('awdit-test', () => {
  test('awdit-test has no initial state: a read without a writer is out of thin air', async () => {
    const history = await readText(awdit, 'w 0 0\n===\nr 0 0\nr 1 0\n');
    expect([...buildReadFrom(history).readFrom]).toEqual([ReadFrom.None, 0, ReadFrom.ThinAir]);
  });

  test.each<[string, number[][]]>([
    ['w 0 1', [[1]]],
    ['w 0 1\n\n  r  0\t1  \r\n', [[2]]],
    ['w 0 1\n-\nw 0 2\n=\nw 0 3', [[1, 1], [1]]],
    ['=====\n---\nw 0 1\n---\n-----\n=\n=====\n---', [[1]]],
    ['w 0 1==w 0 2--w 0 3', [[1], [1, 1]]],
    ['w 0 1\n-=-\nw 0 2', [[1], [1]]],
    ['w 0 1\n- - -\nr 0 1\nr 0 1', [[1, 2]]],
  ])('awdit-test splits %j', async (text, expected) => {
    expect(await readShape(text)).toEqual(expected);
  });

  test('awdit-test knows the line of every operation, also after empty lines', async () => {
    const history = await readText(awdit, 'w 0 1\nw 0 2\n---\n\nw 0 3\n\nw 0 4\n===\nw 0 5\nw 0 6\n');
    expect([0, 1, 2, 3, 4, 5].map((op) => locateOperation(history, op))).toEqual(
      [1, 2, 5, 7, 9, 10].map((line) => `test, line ${line}`),
    );
  });

  test.each([
    ['', 'test: found an empty file, expected lines such as w 0 1'],
    ['\n===\n', 'test: found no operation, expected lines such as w 0 1'],
    ['x 1 2', "line 1, column 1: found 'x 1 2', expected 'r', 'w', '-' or '='"],
    ['r 1 1\nr(1,2,3,4)', "line 2, column 2: found '(1,2,3,4)', expected a blank before the key"],
    ['r', 'line 1, column 2: found the end of the line, expected a blank before the key'],
    ['r a 2', "line 1, column 3: found 'a 2', expected the key, a natural number"],
    ['r 1', 'line 1, column 4: found the end of the line, expected a blank before the value'],
    ['r 1 \nw 1 1', 'line 1, column 5: found the end of the line, expected the value, a natural number'],
    ['r 1 -2', "line 1, column 5: found '-2', expected the value, a natural number"],
    ['r 1 18446744073709551616', "found '18446744073709551616', expected a value below 2^64"],
    ['r 1 2 3', "line 1, column 7: found '3', expected the end of the line, '-' or '='"],
    ['r 1 2 w 1 2', "line 1, column 7: found 'w 1 2', expected the end of the line, '-' or '='"],
    ['r 1 2x', "line 1, column 6: found 'x', expected the end of the line, '-' or '='"],
  ])('awdit-test names the mistake in %j', async (text, message) => {
    await expect(readText(awdit, text)).rejects.toThrow(message);
  });

  test.each([
    ['w 0 0', true],
    ['\n\n--- \n===\r\nr 12 18446744073709551615==w 1 1', true],
    ['w 0', false],
    ['w(0,0,0,0)\n', false],
    ['---\n[x:=1]\n', false],
    ['- - events:\n', false],
  ])('awdit-test claims %j: %s', (text, expected) => {
    expect(awdit.matches(inputOfBytes('test', text))).toBe(expected);
  });
});
