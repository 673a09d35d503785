import {
  AGGREGATES,
  type Constant,
  type PlainHistory,
  type PlainOperation,
  type Predicate,
  type Row,
  UNKNOWN,
  fromPlain,
  mayMatch,
  printPredicate,
  rowName,
  textOfRow,
  toPlain,
} from '@isolab/history';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notation } from '../src/notation/notation.ts';
import { parseNotation } from '../src/notation/parse-notation.ts';
import { parsePredicate } from '../src/notation/predicates.ts';
import { printNotation } from '../src/notation/print-notation.ts';
import { Words } from '../src/notation/words.ts';

const predicateOf = (text: string): Predicate => {
  const words = new Words(text, 0);
  const predicate = parsePredicate(words);
  if (words.at < text.length) words.fail('nothing behind it');
  return predicate;
};

describe('conditions', () => {
  test.each<[string, Predicate]>([
    ['true', true],
    ['on_call = true', ['=', 'on_call', true]],
    [
      "a = 1 and b <> 'it''s' or not c < -2.5e3",
      ['or', ['and', ['=', 'a', 1], ['<>', 'b', "it's"]], ['not', ['<', 'c', -2500]]],
    ],
    ['(a >= 1 or b <= 2) and c is null', ['and', ['or', ['>=', 'a', 1], ['<=', 'b', 2]], ['null', 'c']]],
    ['a between 1 and 2 and b in (1, 2)', ['and', ['between', 'a', 1, 2], ['in', 'b', [1, 2]]]],
    ['a is not null', ['not', ['null', 'a']]],
    ['not (a = 1 and b = 2)', ['not', ['and', ['=', 'a', 1], ['=', 'b', 2]]]],
    ['(and a = 1) or (or)', ['or', ['and', ['=', 'a', 1]], ['or']]],
    ['"on call" = false and "not" > 0', ['and', ['=', 'on call', false], ['>', 'not', 0]]],
    ['a in ()', ['in', 'a', []]],
    ["a = 1 and sql('b like ''al%''')", ['and', ['=', 'a', 1], ['sql', "b like 'al%'"]]],
    ['sql = 1', ['=', 'sql', 1]],
  ])('%s', (text, predicate) => {
    expect(predicateOf(text)).toEqual(predicate);
    expect(predicateOf(printPredicate(predicate))).toEqual(predicate);
  });

  test.each<[string, Predicate]>([
    ['A NOT IN (1) AND B NOT BETWEEN 1 AND 2', ['and', ['not', ['in', 'A', [1]]], ['not', ['between', 'B', 1, 2]]]],
    ['a != 1', ['<>', 'a', 1]],
    ['a="x"', ['=', 'a', 'x']],
  ])('conditions also as %s', (text, predicate) => expect(predicateOf(text)).toEqual(predicate));

  test('any condition is read back unchanged', () => {
    fc.assert(
      fc.property(predicates, (predicate) => {
        expect(predicateOf(printPredicate(predicate))).toEqual(predicate);
      }),
      {
        numRuns: 500,
      },
    );
  });
});

describe('rows and scans', () => {
  test('rows and scans are read and printed', () => {
    const text = `initial 0 x=5 doctors/1={name: 'alice', on_call: true} "my table"/"a|b"={"a b": 1}
scan(doctors, on_call = true and not (shift = 2 or shift is null), {1: {name: 'alice', on_call: true, shift: 1}, 2: ?}) put(doctors/1, {name: 'a|b (c)', on_call: false}) | r(x,5) get(doctors/3, nil)
!count("my table", true, 2) put("my table"/"a|b", nil) @1-2 | ?sum(doctors, true, shift, null) max(doctors, true, name, 'bob') min(doctors, true, shift, 1)`;
    expect(printNotation(parseNotation(text))).toBe(text);
    expect(notation.matches({ head: Buffer.from(text) } as never)).toBe(true);
    expect(notation.matches({ head: Buffer.from('scan(doctors, true, {})') } as never)).toBe(true);
  });

  test('any history is read back unchanged, without a loss', async () => {
    const writer = await notation.writer!();
    fc.assert(
      fc.property(histories, (plain) => {
        const history = fromPlain(plain);
        expect(writer.losses(history)).toEqual([]);
        const again = parseNotation(printNotation(history));
        expect(toPlain(again).sessions).toEqual(toPlain(history).sessions);
        expect(statesOf(toPlain(again))).toEqual(statesOf(toPlain(history)));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['scan(doctors)', "line 1, column 13: found ')', expected a comma and a condition"],
    [
      'scan(doctors, on_call, {})',
      "line 1, column 22: found ', {})', expected one of = <> < <= > >=, between, in, is null",
    ],
    ['r(x,0) scan(doctors, a = , {})', "line 1, column 26: found ', {})', expected a number, a text"],
    [
      'scan(doctors, a = 1, {1: {a: 2}})',
      "line 1, column 23: found '1: {a: 2}})', expected a row that the condition matches",
    ],
    ['scan(t, true, {1: ?, 1: ?})', 'column 21: found a row for the second time, expected each row once'],
    [
      "put(t/1, {a: 1}) | put(t/1, {a: 'x'})",
      'found the string "x" for column "a" of table "t", expected a number, as before',
    ],
    ['put(t/1, {a: 1, a: 2})', 'expected each column once'],
    ['put(t/x, nil)', 'expected a key: an integer, or a text in double quotes'],
    ['put(t/1, {a: 90071992547409930})', 'expected an integer of at most 53 bits'],
    ["put(t/1, {a: 'x})", 'expected a text that ends in a single quote'],
    ['count(t, true, -1)', 'expected a number of rows'],
    ['sum(t, true, a, true)', 'expected a number, or null'],
    ['scan(t, a between 1 or 2, {})', 'expected and, followed by the upper bound'],
    ['scan(t, a in (1, true), {})', 'expected ["in","column",[VALUE,…]] with values of one type'],
    [`scan(t, ${'('.repeat(500)}a = 1, {})`, 'expected a condition with fewer parentheses'],
    ['scan(t, true, {}, not 3, …)', "column 17: found ', not 3, …)', expected a complete scan"],
    ['put(t/1, nil', 'found nothing, expected a closing parenthesis'],
    ['initial 0 t/1={a:}\nr(x,0)', "line 1, column 18: found '}', expected a number"],
  ])('%s is refused', (text, message) => {
    expect(() => parseNotation(text)).toThrow(message);
  });
});

const statesOf = ({ initialOf = [] }: PlainHistory): object =>
  Object.fromEntries(
    initialOf.filter(([, value]) => value !== null).map(([key, value]) => [String(key), String(value)]),
  );

/** One type a column. */
const COLUMNS = ['a', 'b c', 'and', '__proto__', 'Ü"\\'];
const valueOf = (column: string, n: number): Constant =>
  column === 'a' ? n : column === 'and' ? n % 2 === 0 : ['x', "it's", 'a|b', 'two\nlines', '"', '\ud800'][n % 6]!;

const columns = fc.constantFrom(...COLUMNS);
const comparisons: fc.Arbitrary<Predicate> = fc
  .tuple(columns, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), fc.nat(7), fc.nat(7), fc.nat(9))
  .map(([column, sign, n, m, kind]): Predicate => {
    if (kind === 0) return ['null', column];
    if (kind === 1) return ['in', column, [valueOf(column, n), valueOf(column, m)]];
    if (kind === 2 && column !== 'and') return ['between', column, valueOf(column, n), valueOf(column, m)];
    return [sign as '=', column, valueOf(column, n)];
  });
const predicates: fc.Arbitrary<Predicate> = fc.letrec<{ any: Predicate }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    comparisons,
    fc.constant<Predicate>(true),
    fc.constantFrom('f(a)', "lower(b) = 'al'", 'a\nb').map((text): Predicate => ['sql', text]),
    tie('any').map((part): Predicate => ['not', part]),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('any'), { maxLength: 3 }))
      .map(([kind, parts]): Predicate => [kind as 'and', ...parts]),
  ),
})).any;
const rows: fc.Arbitrary<Row> = fc.array(fc.tuple(columns, fc.nat(7)), { maxLength: 4 }).map((held) => {
  const row = Object.create(null) as Record<string, Constant>;
  for (const [column, n] of held) row[column] = valueOf(column, n);
  return row;
});
const tables = fc.constantFrom('t', 'my table', 'in');
const keys = fc.oneof(fc.bigInt({ min: -3n, max: 10n ** 20n }), fc.constantFrom('', 'alice', '1', 'a"/b|\n'));

const operations: fc.Arbitrary<PlainOperation> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('read' as const, 'write' as const),
    key: fc.constantFrom('x', 7n),
    value: fc.constantFrom(0n, 5n, null),
  }),
  fc
    .tuple(fc.constantFrom('read' as const, 'write' as const), tables, keys, fc.option(rows))
    .map(([kind, table, key, row]) => ({
      kind,
      key: rowName(table, key),
      value: row && textOfRow(row),
    })),
  fc
    .tuple(tables, predicates, fc.uniqueArray(keys, { maxLength: 3 }), fc.array(rows, { minLength: 3, maxLength: 3 }))
    .map(([table, where, found, versions]): PlainOperation => ({
      kind: 'scan',
      table,
      where,
      rows: found.map((key, i) => ({
        key: rowName(table, key),
        value: mayMatch(where, versions[i]!) ? textOfRow(versions[i]!) : UNKNOWN,
      })),
      aggregate: null,
    })),
  fc
    .tuple(tables, predicates, fc.constantFrom(...AGGREGATES), fc.nat(9))
    .map(([table, where, kind, n]): PlainOperation => ({
      kind: 'scan',
      table,
      where,
      rows: [],
      aggregate: kind === 'count' ? { kind, result: n } : { kind, column: 'a', result: n === 0 ? null : n },
    })),
);

const histories: fc.Arbitrary<PlainHistory> = fc
  .tuple(
    fc.array(fc.array(operations, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    fc.option(rows),
  )
  .map(([transactions, initial]) => ({
    sessions: transactions.map((own, s) => ({
      name: BigInt(s),
      transactions: [{ status: 'committed', operations: own }],
    })),
    tables: ['t', 'my table', 'in'],
    initial: 0n,
    ...(initial && { initialOf: [[rowName('t', 0n), textOfRow(initial)] as const] }),
  }));
