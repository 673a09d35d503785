import { type Atom, ReadFrom, TxnStatus, buildReadFrom, fromPlain, locateOperation, toPlain } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { dbcopHist } from '../src/dbcop/dbcop-hist.ts';
import { inputOfBytes } from '../src/files/input.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { describeFormat, readText } from './support/describe-format.ts';
import { ALL_FEATURES } from './support/everything.ts';

const shape: GeneratedShape = {
  key: (n) => ['x', 42n, '007', 'longer_than_eight_bytes', 'größe'][n] ?? `k${n}`,
  value: (n) => BigInt(n) + 2n ** 63n * BigInt(n % 2),
  session: (n) => BigInt(n + 1),
  initial: null,
  operations: ['read', 'write'],
  statuses: ['committed', 'aborted'],
  emptySessions: true,
  thinAir: true,
};

await describeFormat(dbcopHist, {
  // A text without a transaction is no history.
  expressible: arbitraryHistory(shape).filter(({ sessions }) => sessions.some((s) => s.transactions.length > 0)),
  anything: arbitraryHistory({
    ...shape,
    ...ALL_FEATURES,
    key: (n) => (n % 2 ? `key ${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? BigInt(n - 1) : `v${n}`),
    session: (n) => `client ${n}`,
    transaction: (n) => BigInt(n * n),
    initial: 0n,
    emptyTransactions: true,
  }),
});

const readKeys = async (text: string): Promise<Atom[]> =>
  (toPlain(await readText(dbcopHist, text)).initialOf ?? []).map(([key]) => key);

/** Number of transactions that each session has. */
const readSessions = async (text: string): Promise<number[]> =>
  toPlain(await readText(dbcopHist, text)).sessions.map(({ transactions }) => transactions.length);

describe('dbcop-hist', () => {
  test('dbcop-hist reads writes, reads, reads of the initial state and uncommitted transactions', async () => {
    const history = await readText(dbcopHist, '// a comment\n[x:=1 y==?] [x==1]!\n---\n\n[y==2]\n');
    expect([...history.txnStatus]).toEqual([TxnStatus.Committed, TxnStatus.Aborted, TxnStatus.Committed]);
    expect([...buildReadFrom(history).readFrom]).toEqual([ReadFrom.None, ReadFrom.Initial, 0, ReadFrom.ThinAir]);
  });

  test('dbcop-hist treats a read of 0 as a read of the initial state unless 0 is written to the key', async () => {
    const history = await readText(dbcopHist, '[x==0 y==0 z==0 z==?]\n---\n[x:=0]\n[y:=0]!\n');
    expect([...buildReadFrom(history).readFrom].slice(0, 4)).toEqual([4, 5, ReadFrom.Initial, ReadFrom.Initial]);
  });

  test.each<[string, number[]]>([
    ['[x:=1]', [1]],
    ['[x:=1][y:=2]  [ z:=3 ] // three\r\n', [3]],
    ['[x:=1]\n-\n[x:=2]\n-----  \n[x:=3]\n', [1, 1, 1]],
    ['---\n[x:=1]\n---\n---\n', [0, 1, 0, 0]],
    ['  [x:=1]\n\t--- // next\n//--\n[x:=2]\n[x:=3]', [1, 2]],
  ])('dbcop-hist finds the sessions of %j', async (text, expected) => {
    expect(await readSessions(text)).toEqual(expected);
  });

  test('dbcop-hist reads numerals as integers and everything else as names', async () => {
    expect(await readKeys('[7:=1 007:=1 _7:=1 18446744073709551615:=1 123456789012345678901:=1 0:=1]')).toEqual([
      7n,
      '007',
      '_7',
      2n ** 64n - 1n,
      '123456789012345678901',
      0n,
    ]);
  });

  test('dbcop-hist distinguishes names that begin alike, of any length', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `a${'b'.repeat(n)}`);
    const history = await readText(dbcopHist, `[${[...names, ...names].map((name, i) => `${name}:=${i}`).join(' ')}]`);
    expect(toPlain(history).initialOf!.map(([key]) => key)).toEqual(names);
    expect([...history.opKey]).toEqual([...names.keys(), ...names.keys()]);
  });

  test('dbcop-hist accepts letters of all scripts', async () => {
    expect(await readKeys('[größe:=1 口座:=2 größe:=3]')).toEqual(['größe', '口座']);
  });

  test('dbcop-hist knows the line of every operation', async () => {
    const history = await readText(dbcopHist, '// a\n\n[x:=1 y:=2] [x:=3]\n[x:=4]');
    expect([0, 1, 2, 3].map((op) => locateOperation(history, op))).toEqual(
      [3, 3, 3, 4].map((line) => `test, line ${line}`),
    );
  });

  test('dbcop-hist reports empty sessions, which leave nothing to write', async () => {
    const nothing = fromPlain({ sessions: [{ name: 1n, transactions: [] }] });
    expect((await dbcopHist.writer!()).losses(nothing)).toEqual([
      { name: 'empty-sessions', count: 1, fate: 'leave nothing to write' },
    ]);
  });

  test('dbcop-hist counts the reads of 0 that would look like reads of the initial state', async () => {
    const read = (key: string) => ({ kind: 'read', key, value: 0n }) as const;
    const history = fromPlain({
      sessions: [
        {
          name: 1n,
          transactions: [
            { status: 'committed', operations: [read('x'), read('y'), { kind: 'write', key: 'y', value: 0n }] },
          ],
        },
      ],
    });
    expect((await dbcopHist.writer!()).losses(history)).toEqual([
      { name: 'initial-values', count: 1, fate: 'become indistinguishable from the initial state' },
    ]);
  });

  test.each<[string | Uint8Array, string]>([
    ['', 'test: found an empty file, expected transactions such as [x:=1]'],
    ['// nothing\n---\n', 'test: found no transaction, expected at least one transaction such as [x:=1]'],
    ['x:=1', "line 1, column 1: found 'x:=1', expected '[', '---' or '//'"],
    ['[]', "line 1, column 2: found ']', expected a variable of letters, digits and '_'"],
    ['[x:=1', "line 1, column 6: found the end of the line, expected a digit, a blank or ']'"],
    ['[x:=1 ', "line 1, column 7: found the end of the line, expected a variable of letters, digits and '_'"],
    ['[x:=1\ny:=2]', "line 1, column 6: found the end of the line, expected a digit, a blank or ']'"],
    ['[x:=1y:=2]', "line 1, column 6: found 'y:=2]', expected a digit, a blank or ']'"],
    ['[x-y:=1]', "line 1, column 3: found '-y:=1]', expected ':=' or '=='"],
    ['[x:1]', "line 1, column 3: found ':1]', expected ':=' or '=='"],
    ['[x:=?]', "line 1, column 5: found '?]', expected a version"],
    ['[x==-1]', "line 1, column 5: found '-1]', expected a version or '?'"],
    ['[x==1.5]', "line 1, column 6: found '.5]', expected a digit, a blank or ']'"],
    ['[x:=18446744073709551616]', "line 1, column 5: found '18446744073709551616]', expected a version below 2^64"],
    ['[x:=1]\n[x:=1] y', "line 2, column 8: found 'y', expected '[' or the end of the line"],
    ['[x:=1]\n--- [x:=1]', "line 2, column 5: found '[x:=1]', expected the end of the line"],
    ['[x:=1] /', "line 1, column 8: found '/', expected '[' or the end of the line"],
    [
      Buffer.from('[x\xff:=1]', 'latin1'),
      "line 1, column 2: found 'x\ufffd:=1]', expected a variable of letters, digits and '_'",
    ],
    [Buffer.from('// \xff\n[x:=1]', 'latin1'), "line 1, column 1: found '// \ufffd', expected a comment in UTF-8"],
    ['[a→b:=1]', "line 1, column 2: found 'a→b:=1]', expected a variable of letters, digits and '_'"],
  ])('dbcop-hist names the mistake in %j', async (text, message) => {
    await expect(dbcopHist.read(inputOfBytes('test', text), {})).rejects.toThrow(message);
  });

  test.each([
    ['// a [b]\n---\n\n [größe==?]', true],
    ['[7:=1]', true],
    ['[[{"events": []}]]', false],
    ['[{"type": "ok"}]', false],
    ['[x]', false],
    ['r(0,0,0,0)\n', false],
  ])('dbcop-hist claims %j: %s', (text, expected) => {
    expect(dbcopHist.matches(inputOfBytes('test', text))).toBe(expected);
  });
});
