import { describe, expect, test } from 'vitest';
import {
  type Atom,
  CounterProblem,
  type History,
  HistoryBuilder,
  OpKind,
  type OperationId,
  atomOf,
  fromPlain,
  showOperation,
  textOfRow,
  toRegisters,
} from '../src/index.ts';

type Use = readonly ['inc' | 'r' | 'w' | 'a' | 'range', Atom, Atom?];

/** Builds a history of transactions, each in its own session. */
function built(transactions: readonly (readonly Use[])[], { initial = 0n as Atom, stride = 0, versions = false } = {}) {
  const builder = new HistoryBuilder({ format: 'test', file: 'a test', unit: 'line', opStride: stride });
  builder.initialEverywhere(builder.values.atom(initial));
  for (const [i, uses] of transactions.entries()) {
    builder.begin(builder.session(BigInt(i)), 10 * (i + 1));
    for (const [kind, key, value = null] of uses) {
      if (kind === 'inc') builder.increment(key, value as bigint);
      else if (kind === 'range') builder.range(-1, -1);
      else builder.op(KINDS[kind], builder.keys.atom(key), builder.values.atom(value));
      if (versions) builder.opVersion(7n);
    }
  }
  return builder.finish();
}

const KINDS = { r: OpKind.Read, w: OpKind.Write, a: OpKind.Append } as const;

const shownAsRows = (history: History): string => shown({ ...history, scans: { ...history.scans, counters: [] } });

const shown = (history: History): string =>
  Array.from(history.txnStart.slice(1), (end, t) =>
    Array.from({ length: end - history.txnStart[t]! }, (_, i) =>
      showOperation(history, (history.txnStart[t]! + i) as OperationId),
    ).join(' '),
  ).join(' | ');

const initials = (history: History): Record<string, Atom> =>
  Object.fromEntries(
    Array.from(history.keyInitial, (value, key) => [String(atomOf(history.keys, key)), atomOf(history.values, value)]),
  );

describe('a history of counters becomes a history of rows', () => {
  test('an increment becomes a row, and a read becomes a sum', () => {
    const history = built([
      [['inc', 'n', 1n]],
      [
        ['inc', 'n', 2n],
        ['inc', 'n', 4n],
        ['r', 'n', 7n],
        ['r', 'x', 0n],
      ],
      [['r', 'n', null]],
    ]);
    expect(shown(history)).toBe('w(n, 0) inc(n, 1) | w(n, 1) inc(n, 2) w(n, 2) inc(n, 4) r(n, 7) r(x, 0) | r(n, null)');
    expect(shownAsRows(history)).toBe(
      'w(n, 0) w(n/0, {add: 1}) | w(n, 1) w(n/1, {add: 2}) w(n, 2) w(n/1, {add: 6}) sum of add(n where true: 7) r(x, 0) | sum of add(n where true: null)',
    );
    expect(initials(history)).toEqual({
      n: null,
      x: 0n,
      'n/"initial"': '{"add":0}',
      'n/0': null,
      'n/1': null,
    });
  });

  test('a plain write removes the rows of all other transactions, once', () => {
    const history = built([
      [['inc', 'n', 1n]],
      [
        ['w', 'n', 5n],
        ['inc', 'n', 1n],
        ['w', 'n', 8n],
      ],
      [['w', 'n', null]],
    ]);
    expect(shown(history)).toBe(
      'w(n, 0) w(n/0, {add: 1}) | w(n, 1) w(n/"initial", nil) w(n/0, nil) w(n/1, {add: 5}) w(n, 2) w(n/1, {add: 6}) w(n, 3) w(n/1, {add: 8}) | w(n, 4) w(n/"initial", nil) w(n/0, nil) w(n/1, nil)',
    );
  });

  test('tables of counters have names of their own', () => {
    expect(
      built([
        [
          ['inc', 'a/b', 1n],
          ['inc', 'a:b', 2n],
          ['inc', 7n, 3n],
          ['inc', '', 4n],
        ],
      ]).scans.tables,
    ).toEqual(['a:b', "a:b'", '7', 'counter']);
  });

  test('operations keep their positions, and versions stay with the counter', () => {
    const history = built(
      [
        [
          ['r', 'x', 0n],
          ['inc', 'n', 1n],
        ],
        [['inc', 'n', 1n]],
      ],
      { stride: 25, versions: true },
    );
    expect([...history.opPosition!]).toEqual([0, 25, 25, 0, 0]);
    expect(Array.from(history.opVersion!, (version) => version === 7n)).toEqual([true, true, false, true, false]);
  });

  const refused: [string, Parameters<typeof built>, string][] = [
    ['a range read', [[[['inc', 'n', 1n]], [['range', null]]]], 'found a range read'],
    [
      'an append',
      [
        [
          [
            ['inc', 'n', 1n],
            ['a', 'n', 1n],
          ],
        ],
      ],
      'found another operation on the counter n',
    ],
    [
      'a text',
      [
        [
          [
            ['inc', 'n', 1n],
            ['r', 'n', 'x'],
          ],
        ],
      ],
      'found a value of the counter n that is no integer',
    ],
    ['a large amount', [[[['inc', 'n', 2n ** 53n]]]], 'found a value of the counter n that is no integer'],
    ['a large total', [[[['inc', 'n', 2n ** 52n]], [['inc', 'n', -(2n ** 52n)]]]], 'may add up to more than 2^53'],
    ['an initial text', [[[['inc', 'n', 1n]]], { initial: 'x' }], 'found the initial value of the counter n'],
    [
      'the name of a row',
      [
        [
          [
            ['inc', 'n', 1n],
            ['r', 'n/0', 1n],
          ],
        ],
      ],
      'found the key n/0',
    ],
  ];
  test.each(refused)('a history is refused for %s', (_, given, message) => {
    expect(() => built(...given)).toThrow(CounterProblem);
    expect(() => built(...given)).toThrow(message);
  });

  test('a history is refused for too many plain writes beside too many increments', () => {
    const many: Use[][] = Array.from({ length: 2100 }, () => [['w', 'n', 0n]]);
    expect(() => built([...many, [['inc', 'n', 1n]]])).toThrow('2100 plain writes of the counter n');
  });
});

/** Returns a history in which rows have these versions, and a scan returned their sum. */
const summed = (rows: readonly (readonly (number | null)[])[], result: number): History => {
  const contentOf = (x: number | null): Atom => (x === null ? null : textOfRow({ x }));
  return fromPlain({
    tables: ['t'],
    initialOf: rows.map(([first], i) => [`t/${i}`, contentOf(first!)]),
    sessions: [
      {
        name: 's',
        transactions: [
          {
            status: 'committed',
            operations: [
              ...rows.flatMap((versions, i) =>
                versions.slice(1).map((x) => ({ kind: 'write', key: `t/${i}`, value: contentOf(x) }) as const),
              ),
              { kind: 'scan', table: 't', where: true, rows: [], aggregate: { kind: 'sum', column: 'x', result } },
            ],
          },
        ],
      },
    ],
  });
};

/** Returns the rows that add to the sum in each choice of versions with this sum. */
const choices = (rows: readonly (readonly (number | null)[])[], result: number): string[] =>
  rows
    .reduce<(number | null)[][]>(
      (all, versions) => all.flatMap((some) => [...new Set(versions)].map((one) => [...some, one])),
      [[]],
    )
    .filter((choice) => {
      const added = choice.filter((x) => x !== null);
      return added.length > 0 && added.reduce((sum, x) => sum + x, 0) === result;
    })
    .map((choice) => choice.map((x) => x !== null).join(' '));

const stated = (history: History): string | null => {
  const { history: lowered, undecidedAggregates } = toRegisters(history);
  if (undecidedAggregates.length > 0) return null;
  const reads = Array.from(lowered.opKind.keys()).filter((op) => lowered.opKind[op] === OpKind.Read);
  return reads.map((op) => showOperation(lowered, op as OperationId).endsWith(', true)')).join(' ');
};

describe('a sum states its rows if only one choice has the result', () => {
  test('a sum of small rows states rows only if a single choice has its result', () => {
    let certain = 0;
    let seed = 1;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let i = 0; i < 400; i++) {
      const rows = Array.from({ length: 1 + random(4) }, () =>
        Array.from({ length: 1 + random(3) }, () => [null, null, 1, 2, 3, 5, -1, 0][random(8)]!),
      );
      const result = random(9) - 1;
      const found = stated(summed(rows, result));
      if (found === null) continue;
      certain++;
      const expected = choices(rows, result);
      const isThere = rows.map((versions) => versions.some((x) => x !== null));
      expect(
        expected.map((choice) =>
          choice
            .split(' ')
            .filter((_, row) => isThere[row])
            .join(' '),
        ),
      ).toEqual([found]);
    }
    expect(certain).toBeGreaterThan(60);
  });

  test('a sum of different powers of two always states its rows', () => {
    const rows = Array.from({ length: 52 }, (_, i) => [null, 2 ** i]);
    const result = 0b1011 * 2 ** 40 + 5;
    const found = stated(summed(rows, result))!.split(' ');
    expect(found.filter((one) => one === 'true')).toHaveLength(5);
    expect(found).toHaveLength(52);
  });

  test.each([
    ['a fraction', [[null, 0.5]], 0.5],
    [
      'amounts beyond 2^53',
      [
        [null, 2 ** 53 - 1],
        [null, 2 ** 53 - 3],
      ],
      2 ** 53 - 1,
    ],
    ['more than 1000 rows', Array.from({ length: 1001 }, () => [null, 1]), 1001],
  ])('a sum with %s states nothing', (_, rows, result) => {
    expect(stated(summed(rows as (number | null)[][], result))).toBe(null);
  });
});
