import { type PlainOperation, TxnStatus, buildReadFrom, fromPlain, keyword } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { inputOfBytes } from '../src/files/input.ts';
import { text } from '../src/text.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { describeFormat, readText } from './support/describe-format.ts';
import { ALL_FEATURES } from './support/everything.ts';

const shape: GeneratedShape = {
  key: (n) => BigInt(n) * 10n ** 18n,
  value: (n) => BigInt(n) + 2n ** 63n * BigInt(n % 3),
  session: (n) => BigInt(5 * n),
  transaction: (n) => BigInt(n * n),
  initial: 0n,
  operations: ['read', 'write'],
  thinAir: true,
};

describe('the initial transaction by IsoVista’s convention', () => {
  const transactions = async (lines: readonly string[], initialTransaction: 'stated' | 'ordinary' = 'stated') =>
    (await text.read(inputOfBytes('test', `${lines.join('\n')}\n`), { initialTransaction })).txnStatus.length;
  const others = ['r(1,0,1,1)', 'w(1,7,1,1)', 'r(2,0,2,2)'];

  test('the initial transaction by IsoVista’s convention is left out, and counted', async () => {
    const lines = ['w(1,0,0,0)', 'w(2,0,0,0)', ...others];
    expect(await transactions(lines)).toBe(2);
    expect(await transactions(lines, 'ordinary')).toBe(3);
    const history = await readText(text, `${lines.join('\n')}\n`);
    expect(history.source.notes).toEqual({ initialTransactions: 1 });
    expect(buildReadFrom(history).ambiguousReads).toBe(0);
  });

  test.each([
    ['misses a key', ['w(1,0,0,0)', ...others]],
    ['writes something else', ['w(1,0,0,0)', 'w(2,5,0,0)', ...others]],
    ['reads', ['w(1,0,0,0)', 'w(2,0,0,0)', 'r(2,0,0,0)', ...others]],
    ['has another number', ['w(1,0,0,9)', 'w(2,0,0,9)', ...others]],
    ['is of another session', ['w(1,0,5,0)', 'w(2,0,5,0)', ...others]],
    ['is not alone', ['w(1,0,0,0)', 'w(2,0,0,0)', ...others, 'r(1,0,0,3)']],
    ['does not stand first', [...others, 'w(1,0,0,0)', 'w(2,0,0,0)']],
  ])('the initial transaction by IsoVista’s convention is an ordinary transaction if it %s', async (_, lines) => {
    expect(await transactions(lines)).toBe(await transactions(lines, 'ordinary'));
  });
});

await describeFormat(text, {
  expressible: arbitraryHistory(shape),
  anything: arbitraryHistory({
    ...shape,
    ...ALL_FEATURES,
    key: (n) => (n % 2 ? `k${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? BigInt(n - 2) : keyword(`v${n}`)),
    session: (n) => `client ${n}`,
    emptySessions: true,
    emptyTransactions: true,
  }),
});

describe('the text format', () => {
  test('the text format treats transaction -1 as aborted writes and ignores its reads', async () => {
    const history = await readText(text, 'w(1,5,0,-1)\nr(1,0,0,-1)\nr(1,5,1,7)\n');
    expect([...history.txnStatus]).toEqual([TxnStatus.Aborted, TxnStatus.Committed]);
    expect(history.source.notes).toEqual({ readsOfAbortedTransactions: 1 });
  });

  test('the text format joins the parts of a transaction that other lines interrupt', async () => {
    const history = await readText(text, 'w(1,5,0,3)\nw(1,6,1,4)\nr(2,0,0,3)');
    expect([...history.txnStart]).toEqual([0, 2, 3]);
    expect([...history.opPosition!]).toEqual([0, 2, 0]);
  });

  test('the text format joins lines of one transaction with any line breaks', async () => {
    const history = await readText(text, 'w(1,5,0,3)\nw(2,6,0,3)\n\nr(1,0,0,3)\r\nr(1,5,0,33)\nr(2,6,0,3)\nr(2,6,0,3)');
    expect([...history.txnStart]).toEqual([0, 5, 6]);
    expect([...history.opPosition!]).toEqual([0, 1, 2, 5, 6, 0]);
  });

  test('the text format reads each of two aborted writes as a separate transaction', async () => {
    const history = await readText(text, 'w(1,5,0,-1)\nw(1,6,0,-1)\nw(1,7,0,1)\nw(2,8,0,-1)\nw(2,9,0,1)\n');
    expect([...history.txnStart]).toEqual([0, 1, 2, 4, 5]);
    expect([...history.txnStatus]).toEqual([1, 1, 0, 1]);
  });

  test.each([
    ['x(1,2,3,4)', "line 1, column 1: found 'x(1,2,3,4)', expected 'r(' or 'w('"],
    ['r(1,2,3,4)\nr[1,2,3,4]', "line 2, column 2: found '[1,2,3,4]', expected '('"],
    ['r(,2,3,4)', "line 1, column 3: found ',2,3,4)', expected the key, a natural number"],
    ['r(1,-2,3,4)', "line 1, column 5: found '-2,3,4)', expected the value, a natural number"],
    ['r(1,2.5,3,4)', "line 1, column 6: found '.5,3,4)', expected a digit or ','"],
    ['r(1,2,3,-2)', "line 1, column 9: found '-2)', expected a natural number or -1"],
    ['r(1,2,3,4', "line 1, column 10: found the end of the line, expected a digit or ')'"],
    ['r(1,2,3,4) ', "line 1, column 11: found ' ', expected the end of the line"],
    [
      'r(1,2,3,4)\nw(1,3,9,4)',
      'line 2: found transaction 4 in session 9, expected session 3, as on line 1; transactions need different numbers',
    ],
    ['r(1,2,3,4)\nr(1,2,3,4', "line 2, column 10: found the end of the line, expected a digit or ')'"],
    ['\n\n', 'found no operation, expected lines such as r(1,0,0,0)'],
  ])('the text format names the mistake in %j', async (input, message) => {
    await expect(readText(text, input)).rejects.toThrow(message);
  });

  test.each([
    ['no', 1n, []],
    ['some', 'one', ['initial-values', 'value-names']],
  ])('the text format may write 0 as the initial state if %s values are renumbered', async (_, written, losses) => {
    const zero = { key: 0n, value: 0n } as const;
    const session = (name: bigint, operations: PlainOperation[]) => ({
      name,
      transactions: [{ status: 'committed' as const, operations }],
    });
    const history = fromPlain({
      initial: 0n,
      sessions: [
        session(0n, [
          { kind: 'write', ...zero },
          { kind: 'write', key: 1n, value: written },
        ]),
        session(1n, [{ kind: 'read', ...zero }]),
      ],
    });
    expect((await text.writer!()).losses(history).map(({ name }) => name)).toEqual(losses);
  });
});
