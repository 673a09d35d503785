import { describe, expect, test } from 'vitest';
import {
  type History,
  type PlainHistory,
  type Predicate,
  RepeatedLowering,
  type Row,
  fromPlain,
  isOpaque,
  keyOfRow,
  matches,
  mayMatch,
  nameAtom,
  predicateProblem,
  rowName,
  rowProblem,
  showPredicate,
  showTransaction,
  slice,
  tableOfRow,
  textOfRow,
  toPlain,
  toRegisters,
  type TransactionId,
} from '../src/index.ts';

describe('a predicate', () => {
  const row: Row = { a: 2, b: 'x', c: true };

  test.each<[Predicate, boolean]>([
    [true, true],
    [['=', 'a', 2], true],
    [['=', 'a', 3], false],
    [['<>', 'a', 3], true],
    [['<>', 'a', 2], false],
    [['<', 'a', 2], false],
    [['<=', 'a', 2], true],
    [['>', 'a', 1], true],
    [['>=', 'a', 3], false],
    [['<', 'b', 'y'], true],
    [['between', 'a', 2, 4], true],
    [['between', 'a', 3, 1], false],
    [['in', 'b', ['w', 'x']], true],
    [['in', 'b', []], false],
    [['=', 'c', true], true],
    [['null', 'd'], true],
    [['null', 'a'], false],
    [['and'], true],
    [['or'], false],
    [['and', ['=', 'a', 2], ['=', 'b', 'y']], false],
    [['or', ['=', 'a', 3], ['=', 'b', 'x']], true],
    [['not', ['=', 'a', 3]], true],
  ])('%j of a row is %j', (predicate, expected) => {
    expect(matches(predicate, row)).toBe(expected);
  });

  test('a predicate is neither true nor false for null, as in SQL', () => {
    const unknown: Predicate = ['=', 'd', 1];
    expect(matches(unknown, row)).toBe(false);
    expect(matches(['not', unknown], row)).toBe(false);
    expect(matches(['<>', 'd', 1], row)).toBe(false);
    expect(matches(['or', unknown, ['=', 'a', 2]], row)).toBe(true);
    expect(matches(['and', unknown, ['=', 'a', 2]], row)).toBe(false);
    expect(matches(['not', ['and', unknown, ['=', 'a', 3]]], row)).toBe(true);
    expect(matches(['not', ['or', unknown, ['=', 'a', 3]]], row)).toBe(false);
    expect(matches(['not', ['in', 'd', [1]]], row)).toBe(false);
  });

  test("a predicate is false for an empty list, also where the column is null, as NULL IN () of SQLite and NULL = ANY('{}') of PostgreSQL", () => {
    for (const column of ['a', 'd']) {
      expect(matches(['in', column, []], row)).toBe(false);
      expect(matches(['not', ['in', column, []]], row)).toBe(true);
      expect(mayMatch(['not', ['in', column, []]], row)).toBe(true);
    }
  });

  test('a partly modelled predicate matches for certain where the modelled part decides, and may match elsewhere', () => {
    const opaque: Predicate = ['sql', 'f(a)'];
    const both = (predicate: Predicate): boolean[] => [matches(predicate, row), mayMatch(predicate, row)];
    expect(both(opaque)).toEqual([false, true]);
    expect(both(['not', opaque])).toEqual([false, true]);
    expect(both(['or', opaque, ['=', 'a', 2]])).toEqual([true, true]);
    expect(both(['and', opaque, ['=', 'a', 3]])).toEqual([false, false]);
    expect(both(['not', ['and', opaque, ['=', 'a', 3]]])).toEqual([true, true]);
    expect(both(['and', opaque, ['=', 'd', 1]])).toEqual([false, false]);
    expect(
      [opaque, ['not', ['and', true, opaque]], ['or', ['=', 'a', 2]]].map((one) => isOpaque(one as Predicate)),
    ).toEqual([true, true, false]);
    expect(showPredicate(['and', ['=', 'a', 2], opaque])).toBe('a = 2 and (f(a))');
    expect(predicateProblem(['sql', ''])).toEqual({ found: '["sql",""]', expected: '["sql","condition"]' });
  });

  test('a predicate is shown as in SQL', () => {
    const predicate: Predicate = ['and', ['or', ['=', 'a', 1], ['null', 'b']], ['not', ['in', 'b', ['x', "it's"]]]];
    expect(showPredicate(predicate)).toBe("(a = 1 or b is null) and not (b in ('x', 'it''s'))");
    expect(showPredicate(['between', 'a', 1, 5])).toBe('a between 1 and 5');
  });

  test.each<[unknown]>([
    [false],
    [{}],
    [['==', 'a', 1]],
    [['=', 'a']],
    [['=', 'a', null]],
    [['=', '', 1]],
    [['=', 'a', 1, 2]],
    [['between', 'a', 1, 'x']],
    [['in', 'a', [1, 'x']]],
    [['not']],
    [['and', ['=', 'a']]],
    [JSON.parse(`${'["not",'.repeat(60)}true${']'.repeat(60)}`)],
  ])('%j is not a predicate', (data) => {
    expect(predicateProblem(data)).not.toBeNull();
  });
});

test.each<[unknown]>([[null], [[1]], [{ a: {} }], [{ '': 1 }], [{ a: 2 ** 60 }]])('%j is not a row', (data) => {
  expect(rowProblem(data)).not.toBeNull();
});

test('a row is identified by its columns that are not null, in any order', () => {
  expect(textOfRow({ b: 1, a: 'x' })).toBe(textOfRow({ a: 'x', b: 1, c: null }));
  expect(textOfRow({ a: 1 })).not.toBe(textOfRow({ a: '1' }));
});

test.each([1n, -7n, 'alice', '7', 'a/b', '"'])('%s is recovered from the name of its row', (key) => {
  expect(keyOfRow(rowName('t', key))).toBe(key);
  expect(tableOfRow(rowName('t', key))).toBe('t');
});

describe('scans as reads and writes', () => {
  const ON = textOfRow({ on: true });
  const OFF = textOfRow({ on: false });
  const GONE: Row | null = null;
  const onCall: Predicate = ['=', 'on', true];
  const plain = (operations: PlainHistory['sessions'][number]['transactions'][number]['operations'][]): History =>
    fromPlain({
      tables: ['d'],
      initialOf: [
        ['d/1', ON],
        ['d/2', OFF],
      ],
      sessions: operations.map((ops, s) => ({
        name: BigInt(s),
        transactions: [{ status: 'committed', operations: ops }],
      })),
    });
  const scan = (returned: Record<string, string>, where: Predicate = onCall) =>
    ({
      kind: 'scan',
      table: 'd',
      where,
      rows: Object.entries(returned).map(([key, value]) => ({ key, value })),
      aggregate: null,
    }) as const;
  const write = (key: string, value: string | null) => ({ kind: 'write', key, value }) as const;
  const lowered = (history: History): string[] => {
    const registers = toRegisters(history).history;
    return Array.from(registers.txnStatus, (_, t) => showTransaction(registers, t as TransactionId));
  };

  test('a row that a scan passed over is read as not matching, if any of its versions matches', () => {
    expect(lowered(plain([[scan({ 'd/1': ON })], [write('d/2', ON)], [write('d/3', OFF)]]))).toEqual([
      'r(d/2 where on = true, false) r(d/1, "{\\"on\\":true}")',
      'w(d/2, "{\\"on\\":true}") w(d/2 where on = true, true)',
      'w(d/3, "{\\"on\\":false}")',
    ]);
  });

  test('a scan with an unmodelled condition reads the returned rows, and excludes that it passed over a matching row', () => {
    const opaque: Predicate = ['sql', 'f(on)'];
    const count = { ...scan({}, opaque), aggregate: { kind: 'count', result: 0 } } as const;
    const returned = [scan({ 'd/1': ON }, opaque), scan({}, ['or', opaque, onCall]), scan({}, ['and', opaque, onCall])];
    expect(lowered(plain([[...returned, count], [write('d/2', OFF)]]))[0]).toBe(
      'r(d/1, "{\\"on\\":true}") r(d/1 where (f(on)) or on = true, false)',
    );
  });

  test('predicates that the same versions match share an item', () => {
    const history = plain([[scan({}), scan({}, ['<>', 'on', false])], [write('d/1', GONE)]]);
    expect(toRegisters(history).items).toHaveLength(1);
    expect(lowered(history)[0]).toBe('r(d/1 where on = true, false) r(d/1 where on = true, false)');
  });

  test('an item begins with the initial version of its row', () => {
    const { history, items } = toRegisters(plain([[scan({})], [write('d/2', ON)]]));
    const initial = items.map(({ key }) => nameAtom(history.values, history.keyInitial[key]));
    expect(items.map(({ key }) => nameAtom(history.keys, key))).toEqual(['d/1 where on = true', 'd/2 where on = true']);
    expect(initial).toEqual(['true', 'false']);
  });

  test('a scan without the rows that it passed over is a read of the returned rows', () => {
    const history = plain([[scan({ 'd/1': ON })], [write('d/2', ON)]]);
    const { history: registers } = toRegisters(history, new Map());
    expect(showTransaction(registers, 0 as TransactionId)).toBe('r(d/1, "{\\"on\\":true}")');
    const one = toRegisters(history, new Map([[0, [history.opKey[1]!]]]));
    expect(showTransaction(one.history, 0 as TransactionId)).toBe(
      'r(d/2 where on = true, false) r(d/1, "{\\"on\\":true}")',
    );
  });

  test('a row that is lowered repeatedly is written as an item only where a version may change whether it matches', () => {
    const first = [write('d/2', OFF), { kind: 'read', key: 'd/1', value: ON } as const, write('d/1', GONE)];
    const again = [{ kind: 'read', key: 'd/2', value: OFF } as const, write('d/2', OFF), write('d/2', ON)];
    const history = plain([[scan({})], [...first], [...again], [write('d/1', ON)]]);
    const [ofOne, ofTwo] = [history.opKey[2]!, history.opKey[1]!];
    const lowering = new RepeatedLowering(history, true);
    const asked = new Map([[0, [ofTwo]]]);
    const written = (): string[] => {
      const { history: registers } = lowering.lower(asked);
      return Array.from(registers.txnStatus, (_, t) =>
        showTransaction(registers, t as TransactionId).replaceAll(/"\{.*?\}"/g, 'row'),
      );
    };
    expect(written()).toEqual([
      'r(d/2 where on = true, false)',
      'w(d/2, row) w(d/2 where on = true, false) r(d/1, row) w(d/1, nil)',
      'r(d/2, row) w(d/2, row) w(d/2, row) w(d/2 where on = true, true)',
      'w(d/1, row)',
    ]);
    asked.get(0)!.push(ofOne);
    expect(written()).toEqual([
      'r(d/1 where on = true, false) r(d/2 where on = true, false)',
      'w(d/2, row) w(d/2 where on = true, false) r(d/1, row) w(d/1, nil) w(d/1 where on = true, false)',
      'r(d/2, row) w(d/2, row) w(d/2, row) w(d/2 where on = true, true)',
      'w(d/1, row) w(d/1 where on = true, true)',
    ]);
  });

  test.each([
    [0, 0, 'r(d/1 where on = true, false) r(d/2 where on = true, false)'],
    [2, 0, 'r(d/1 where on = true, true) r(d/2 where on = true, true)'],
    [1, 1, ''],
  ])('a count of %i is %i undecided', (result, undecided, reads) => {
    const count = { kind: 'scan', table: 'd', where: onCall, rows: [], aggregate: { kind: 'count', result } } as const;
    const history = plain([[count], [write('d/2', ON)]]);
    expect(toRegisters(history).undecidedAggregates).toHaveLength(undecided);
    expect(lowered(history)[0]).toBe(reads);
  });

  test('a history of rows, or a part of it, survives a round trip through plain objects', () => {
    const history = plain([[scan({ 'd/1': ON })], [write('d/2', ON)]]);
    expect(toPlain(fromPlain(toPlain(history)))).toEqual(toPlain(history));
    const part = slice(history, { txns: Uint8Array.of(0, 1) }).history;
    expect(lowered(part)).toEqual(['w(d/2, {on: true})']);
  });
});
