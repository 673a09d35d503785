import type { JepsenEvent, Value } from '@isolab/operations';
import { describe, expect, test } from 'vitest';
import { IllegalHistory, JEPSEN_CHECKERS, type JepsenOptions, type JepsenResults } from '../../src/jepsen/index.ts';

type Line = readonly [process: Value, type: JepsenEvent['type'], f: string, value?: Value];

/** Events one millisecond apart. */
const events = (lines: readonly Line[]): JepsenEvent[] =>
  lines.map(([process, type, f, value = null], index) => ({
    index,
    type,
    f,
    value,
    process,
    time: index * 1e6,
    line: index + 1,
    fields: new Map<string, Value>([
      ['f', f],
      ['value', value],
    ]),
  }));

const check = (name: string, lines: readonly Line[], options: JepsenOptions = {}): JepsenResults =>
  JEPSEN_CHECKERS[name]!(events(lines), options);
const call = (process: number, f: string, value: Value = null, result: Value = value): Line[] => [
  [process, 'invoke', f, value],
  [process, 'ok', f, result],
];
const reads = (...balances: readonly (readonly [Value, Value][])[]): Line[] =>
  balances.flatMap((each) => call(0, 'read', null, new Map(each)));
const fine: [Value, Value][] = [
  [0, 10],
  [1, 5],
];

describe('bank', () => {
  test.each<[string, [Value, Value][], JepsenOptions, Partial<JepsenResults>]>([
    [
      'the same total',
      [
        [0, 8],
        [1, 7],
      ],
      {},
      { 'valid?': true, 'read-count': 2, 'error-count': 0, 'first-error': null, errors: {} },
    ],
    [
      'another total',
      [
        [0, 8],
        [1, 8],
      ],
      {},
      { 'valid?': false, 'error-count': 1 },
    ],
    [
      'a stated total',
      [
        [0, 8],
        [1, 7],
      ],
      { totalAmount: 16 },
      { 'valid?': false, 'error-count': 2 },
    ],
    [
      'a debt',
      [
        [0, -5],
        [1, 20],
      ],
      {},
      { 'valid?': false },
    ],
    [
      'an allowed debt',
      [
        [0, -5],
        [1, 20],
      ],
      { allowNegativeBalances: true },
      { 'valid?': true },
    ],
    [
      'no balance',
      [
        [0, null],
        [1, 15],
      ],
      {},
      { 'valid?': false },
    ],
    [
      'an account more',
      [
        [0, 10],
        [2, 5],
      ],
      {},
      { 'valid?': false },
    ],
  ])('%s', (_, second, options, expected) => {
    expect(check('bank', reads(fine, second), options)).toMatchObject(expected);
  });

  test('errors have first, worst and last, and totals their lowest and highest', () => {
    const { errors } = check(
      'bank',
      reads(
        fine,
        [
          [0, 1],
          [1, 1],
        ],
        [
          [0, 99],
          [1, 1],
        ],
        [
          [0, 9],
          [1, 5],
        ],
      ),
    ) as unknown as {
      errors: Record<string, Record<string, { total: bigint }> & { count: number }>;
    };
    const wrong = errors['wrong-total']!;
    expect(wrong.count).toBe(3);
    expect(['first', 'worst', 'last', 'lowest', 'highest'].map((which) => wrong[which]!.total)).toEqual([
      2n,
      100n,
      14n,
      2n,
      100n,
    ]);
    expect(Object.keys(wrong['first']!)).toEqual(['type', 'total', 'op']);
  });

  test('bank without a read is unknown', () => {
    expect(check('bank', call(0, 'transfer', new Map([['from', 0]])))['valid?']).toBe('unknown');
  });
});

describe('counter', () => {
  test.each<[string, Line[], unknown[], unknown[]]>([
    ['nothing', [], [], []],
    [
      'an add that failed',
      [[0, 'invoke', 'add', 1], [0, 'fail', 'add', 1], ...call(0, 'read', null, 0)],
      [[0n, 0n, 0n]],
      [],
    ],
    [
      'an add under way',
      [[0, 'invoke', 'add', 1], ...call(1, 'read', null, 0), ...call(1, 'read', null, 1)],
      [
        [0n, 0n, 1n],
        [0n, 1n, 1n],
      ],
      [],
    ],
    ['too much', call(0, 'read', null, 1), [[0n, 1n, 0n]], [[0n, 1n, 0n]]],
    ['too little', [...call(0, 'add', 2), ...call(0, 'read', null, 1)], [[2n, 1n, 2n]], [[2n, 1n, 2n]]],
    [
      'bounds are those of the whole read',
      [
        [0, 'invoke', 'read'],
        [1, 'invoke', 'add', 1],
        [0, 'ok', 'read', 0],
        [0, 'invoke', 'read'],
        [1, 'ok', 'add', 1],
        [1, 'invoke', 'add', 2],
        [0, 'ok', 'read', 3],
        [0, 'invoke', 'read'],
        [1, 'ok', 'add', 2],
        [0, 'ok', 'read', 5],
      ],
      [
        [0n, 0n, 1n],
        [0n, 3n, 3n],
        [1n, 5n, 3n],
      ],
      [[1n, 5n, 3n]],
    ],
  ])('%s', (_, lines, all, errors) => {
    expect(check('counter', lines)).toEqual({ 'valid?': errors.length === 0, reads: all, errors });
  });

  test('counter does not fall', () =>
    expect(() => check('counter', call(0, 'add', -1))).toThrow('found a negative amount'));
});

describe('set', () => {
  test('a set lists lost, unwritten and recovered elements', () => {
    const lines: Line[] = [
      ...[0, 1, 2, 3, 5].flatMap((n) => call(0, 'add', n)),
      [1, 'invoke', 'add', 6],
      [1, 'info', 'add', 6],
      ...call(0, 'read', null, [0, 1, 2, 6, 9]),
    ];
    expect(check('set', lines)).toEqual({
      'valid?': false,
      'attempt-count': 6,
      'acknowledged-count': 5,
      'ok-count': 4,
      'lost-count': 2,
      'recovered-count': 1,
      'unexpected-count': 1,
      ok: '#{0..2 6}',
      lost: '#{3 5}',
      unexpected: '#{9}',
      recovered: '#{6}',
    });
  });

  test('set asks for a read', () =>
    expect(check('set', call(0, 'add', 1))).toEqual({ 'valid?': 'unknown', error: 'Set was never read' }));
  test('set is fine', () =>
    expect(check('set', [...call(0, 'add', 1), ...call(0, 'read', null, new Set([1]))])['valid?']).toBe(true));
});

describe('set-full', () => {
  const a: Line = [0, 'invoke', 'add', 0];
  const added: Line = [0, 'ok', 'add', 0];
  const r: Line = [1, 'invoke', 'read'];
  const present: Line = [1, 'ok', 'read', new Set([0])];
  const absent: Line = [1, 'ok', 'read', new Set()];

  test.each<[string, Line[], Partial<JepsenResults>]>([
    ['never read', [a, added], { 'valid?': 'unknown', 'never-read': [0], 'never-read-count': 1, 'stable-count': 0 }],
    ['never confirmed', [a, r, absent], { 'valid?': 'unknown', 'never-read': [0] }],
    [
      'read while it was added',
      [r, a, present, added],
      { 'valid?': true, 'stable-count': 1, 'stable-latencies': { 0: 0, 0.5: 0, 0.95: 0, 0.99: 0, 1: 0 } },
    ],
    ['read afterwards', [a, added, r, present], { 'valid?': true, 'stable-count': 1, 'stale-count': 0 }],
    [
      'missed afterwards',
      [a, added, r, absent],
      { 'valid?': false, lost: [0], 'lost-latencies': { 0: 0, 0.5: 0, 0.95: 0, 0.99: 0, 1: 0 } },
    ],
    ['missed while it was added', [a, r, absent, added], { 'valid?': 'unknown', 'never-read': [0] }],
    [
      'missed, then read: stale',
      [a, added, r, absent, r, r].slice(0, 4).concat([
        [2, 'invoke', 'read'],
        [2, 'ok', 'read', [0]],
      ]),
      { 'valid?': true, stale: [0], 'stale-count': 1 },
    ],
    ['read twice at once', [a, added, r, [1, 'ok', 'read', [0, 0]]], { 'valid?': false, 'duplicated-count': 1 }],
  ])('%s', (_, lines, expected) => expect(check('set-full', lines)).toMatchObject(expected));

  test('stale reads are errors where reads are to be linearizable', () => {
    const lines: Line[] = [a, added, r, absent, [2, 'invoke', 'read'], [2, 'ok', 'read', [0]]];
    expect(check('set-full', lines, { linearizable: true })['valid?']).toBe(false);
    expect(check('set-full', lines)['worst-stale']).toMatchObject([
      { element: 0, outcome: 'stable', 'stable-latency': 1, 'lost-latency': null },
    ]);
  });

  test('an element that flutters is lost or stable by its last reads', () => {
    const lines: Line[] = [
      [0, 'invoke', 'add', 0],
      [0, 'ok', 'add', 0],
      [1, 'invoke', 'add', 1],
      [2, 'invoke', 'read'],
      [2, 'ok', 'read', [1]],
      [1, 'ok', 'add', 1],
      [2, 'invoke', 'read'],
      [3, 'invoke', 'read'],
      [3, 'ok', 'read', [1]],
      [2, 'ok', 'read', [0]],
    ];
    expect(check('set-full', lines)).toMatchObject({
      'valid?': false,
      lost: [0],
      stale: [1],
      'stable-count': 1,
      'stable-latencies': { 0: 2 },
      'lost-latencies': { 0: 5 },
    });
  });
});

describe('long-fork', () => {
  const read = (process: number, ...found: readonly (readonly [Value, Value])[]): Line[] =>
    call(
      process,
      'read',
      found.map(([key]) => [':r', key, null]),
      found.map(([key, value]) => [':r', key, value]),
    );
  const write = (process: number, key: Value): Line[] => call(process, 'write', [[':w', key, 1]]);

  test('two reads, each with a write that the other misses', () => {
    const lines = [...write(0, 0), ...write(1, 1), ...read(2, [0, 1], [1, null]), ...read(3, [1, 1], [0, null])];
    const results = check('long-fork', lines);
    expect(results).toMatchObject({ 'valid?': false, 'reads-count': 2, 'early-read-count': 0, 'late-read-count': 0 });
    expect(results['forks']).toHaveLength(1);
  });

  test('reads that can be put in order, early ones and late ones', () => {
    const lines = [...read(0, [0, null], [1, null]), ...read(1, [0, 1], [1, null]), ...read(2, [0, 1], [1, 1])];
    expect(check('long-fork', lines)).toEqual({
      'valid?': true,
      'reads-count': 3,
      'early-read-count': 1,
      'late-read-count': 1,
    });
  });

  test('long-fork refuses other workloads', () => {
    expect(check('long-fork', [...write(0, 0), ...write(0, 0)])).toMatchObject({
      'valid?': 'unknown',
      error: [':multiple-writes', 0],
    });
    expect(() => check('long-fork', read(0, [0, 1]), { groupSize: 2 })).toThrow(IllegalHistory);
    expect(() => check('long-fork', [...read(0, [0, 1], [1, 1]), ...read(0, [0, 2], [1, 1])])).toThrow(
      'two values of key 0',
    );
  });
});

describe('comments', () => {
  const lines = (seen: readonly number[]): Line[] => [
    [2, 'invoke', 'read'],
    ...call(0, 'write', 1),
    ...call(1, 'write', 2),
    [2, 'ok', 'read', new Set(seen)],
  ];
  test('a correction without its original is refused', () => {
    const results = check('comments', lines([2]));
    expect(results['valid?']).toBe(false);
    expect(results['errors']).toMatchObject([
      new Map<string, unknown>([
        ['f', 'read'],
        ['missing', [1]],
        ['expected-count', 1],
      ]),
    ]);
  });
  test.each([[[]], [[1]], [[1, 2]]])('%j is fine', (seen) =>
    expect(check('comments', lines(seen))['valid?']).toBe(true),
  );
});

describe('sequential', () => {
  const read = (...found: readonly Value[]): Line[] => call(0, 'read', ['0', null], ['0', found]);
  test('sequential counts reads of all, of some and of none, and those with a hole', () => {
    const lines = [...read(null, null), ...read(null, '0_0'), ...read('0_1', '0_0'), ...read('0_1', null)];
    expect(check('sequential', lines)).toEqual({
      'valid?': false,
      'all-count': 1,
      'some-count': 3,
      'none-count': 1,
      'bad-count': 1,
      bad: [['0', ['0_1', null]]],
    });
  });
});

test('an unreadable history is refused, with its line', () => {
  expect(() => check('bank', call(0, 'read', null, 3))).toThrow(
    'line 2: found a read of another form, expected a map of accounts',
  );
  expect(() => check('set', [...call(0, 'add', 1), ...call(0, 'read', null, 3)])).toThrow('line 4');
  expect(() => check('sequential', call(0, 'read', null, 3))).toThrow('line 2');
  expect(() => check('counter', call(0, 'read', null, 'x'))).toThrow(
    'line 2: found x as a result, expected an integer',
  );
});
