import { expect, test } from 'vitest';
import { overwrites } from '../../src/sql/assignments.ts';
import { statementsOf } from '../../src/mysql/sql/statement.ts';

const plain = { ansiQuotes: false, plainBackslashes: false };
const parsed = (sql: string, quoting = plain) => statementsOf(sql, quoting)!;
const only = (sql: string) => parsed(sql)[0]!;

test.each([
  ['begin', 'begin'],
  ['BEGIN WORK', 'begin'],
  ['start transaction with consistent snapshot', 'begin'],
  ['commit and chain', 'commit'],
  ['rollback', 'rollback'],
  ['rollback work to savepoint `a`', 'rollback to'],
  ['release savepoint a', 'release'],
  ['set session transaction isolation level read committed', 'level'],
  ['set autocommit = 0', 'set'],
  ['use shop', 'use'],
  ['select * from t', 'select'],
  ['select a.x from a left join b using (id), c where a.id = 1 for update', 'select'],
  ['update t set v = 1 where id = 2', 'update'],
  ['update a join b on a.id = b.id set a.v = 1', 'write'],
  ['replace into t values (1)', 'write'],
  ['load data local infile "x" into table t', 'write'],
  ['create table t (id int)', 'definition'],
  ['show tables', 'other'],
  ['call p()', 'unknown'],
  ['xa start "x"', 'unknown'],
  ['begin not atomic select 1; end', 'unknown'],
])('%s is understood as: %s', (sql, kind) => {
  expect(only(sql).does.kind).toBe(kind);
});

test.each([
  ['select count(*) from t', 'an aggregate'],
  ['select v from t group by v', 'GROUP BY'],
  ['select v from t union select 1', 'UNION'],
  ['select v from t where id in (select 1)', 'a sub-query'],
  ['select v from (select 1 as v) as t', 'a sub-query'],
  ['select v from t for system_time all', 'SYSTEM_TIME'],
  ['select /*!50000 v */ from t', 'an executable comment'],
  ['with q as (select 1) select * from q', 'WITH'],
])('%s is not followed because of: %s', (sql, reason) => {
  expect(only(sql).opaque).toBe(reason);
});

test('a query string is split at semicolons, but not within quotations, comments and bodies', () => {
  expect(parsed(`select ';'; select "a;b" /* ; */; -- ;\n select 3; # ;`).map(({ text }) => text)).toEqual([
    `select ';'`,
    'select "a;b"',
    'select 3',
  ]);
  expect(parsed('create procedure p() begin select 1; select 2; end')).toHaveLength(1);
  expect(parsed(`select 'it\\'s; one'`)).toHaveLength(1);
  expect(parsed(`select 'a\\'; select 2`, { ansiQuotes: false, plainBackslashes: true })).toHaveLength(2);
  expect(statementsOf(`select 'open`, plain)).toBeNull();
});

test('a shape has no constants', () => {
  expect(only(`select a from t where b = 'x' and c = 12 and d = ?`).shape).toBe(
    'select a from t where b = ? and c = ? and d = ?',
  );
});

test.each([
  ['id = 1', ['=', { table: null, column: 'id' }, { value: 1 }]],
  ['1 < t.v', ['>', { table: 't', column: 'v' }, { value: 1 }]],
  ['v between 1 and ?', ['between', { table: null, column: 'v' }, { value: 1 }, { parameter: 0 }]],
  ['v is not null', ['not', ['null', { table: null, column: 'v' }]]],
  ['v not in (1, -2)', ['not', ['in', { table: null, column: 'v' }, [{ value: 1 }, { value: -2 }]]]],
  ['f(v) > 1 and id = 2', ['and', ['unknown'], ['=', { table: null, column: 'id' }, { value: 2 }]]],
  ['v = 1 + 1', ['unknown']],
  ['v + 1 between 1 and 2', ['unknown']],
  ["name like 'a%' or id = 1", ['or', ['unknown'], ['=', { table: null, column: 'id' }, { value: 1 }]]],
])('the condition %s is understood', (where, condition) => {
  const { does } = only(`select * from t where ${where} order by v limit 1`);
  expect(does).toMatchObject({ kind: 'select', where: condition });
});

test('the columns that an UPDATE sets to constants are known', () => {
  const { does } = only("update `t` as x set a = 1, b = b + 1, x.c = 'y', d = (2) where id = ?");
  expect(does).toMatchObject({
    sets: [
      ['a', { value: 1 }],
      ['c', { value: 'y' }],
    ],
  });
});

test('a comment around a single statement stays in its shape, without the values of the request', () => {
  const sql = "select v from t where id = 1 /*file='shop.mjs',line='3',traceparent='00-1-2-01'*/";
  expect(only(sql).shape).toBe("select v from t where id = ? /*file='shop.mjs',line='3'*/");
  expect(only(sql).text).toBe('select v from t where id = 1');
});

test('names in backticks are assignments, too', () => {
  expect(overwrites('update `t` set `n` = `n` - ? where `id` = ?', { n: 1 }, { n: 0 })).toBe(false);
  expect(overwrites('update `t` set `n` = ? where `id` = ?', { n: 1 }, { n: 0 })).toBe(true);
});
