/** Settings that change the meaning of statements or answers: PostgreSQL is not blamed for them. */
import type pg from 'pg';
import { expect, test } from 'vitest';
import { judge } from '../../src/judgement/judge.ts';
import { RecordedServer, told } from './recorded.ts';

const { recorded } = new RecordedServer();

const SCHEMA = `
create table t (id int primary key, s text, v int);
create schema other;
create table other.t (id int primary key, s text, v int);
create function moves() returns void language plpgsql as
  $$ begin perform set_config('search_path', 'other', false); end $$;
insert into t values (1, 'é', 0)`;

type Run = (a: pg.Client, b: pg.Client) => Promise<unknown>;

const twice = async (reader: pg.Client, writer: pg.Client): Promise<void> => {
  await reader.query('begin');
  await reader.query('select * from t');
  await writer.query('update t set v = v + 1 where id = 1');
  await reader.query('select * from t');
  await reader.query('commit');
};

const CASES: readonly (readonly [title: string, levels: readonly string[], reason: string | null, run: Run])[] = [
  [
    'another encoding',
    ['read committed'],
    'a client_encoding other than UTF8',
    async (a, b) => {
      await b.query("set client_encoding = 'LATIN1'");
      await b.query('select * from t');
      await b.query('update t set v = v + 1');
      await a.query('select * from t');
    },
  ],
  [
    'an imported snapshot',
    ['repeatable read'],
    null,
    async (a, b) => {
      await a.query('begin isolation level repeatable read');
      const { rows } = await a.query<{ id: string }>('select pg_export_snapshot() as id');
      await b.query('begin isolation level repeatable read; update t set v = 7; commit');
      await b.query('begin isolation level repeatable read');
      await b.query(`set transaction snapshot '${rows[0]!.id}'`);
      expect((await b.query('select v from t where id = 1')).rows).toEqual([{ v: 0 }]);
      await b.query('commit');
      await a.query('commit');
    },
  ],
  [
    'a default level that a block sets',
    ['read committed', 'serializable'],
    null,
    async (a, b) => {
      await b.query("set default_transaction_isolation = 'serializable'");
      await b.query('select * from t');
      await b.query(`do $$ begin perform set_config('default_transaction_isolation', 'read committed', false); end $$`);
      await twice(b, a);
    },
  ],
  [
    'a search path that a function sets',
    ['read committed'],
    null,
    async (a, b) => {
      await b.query('select moves()');
      await b.query("insert into t values (1, 'other', 1)");
      expect((await b.query('select s from t')).rows).toEqual([{ s: 'other' }]);
      await twice(b, a);
    },
  ],
  [
    'strings with backslashes',
    ['read committed'],
    'a backslash without standard_conforming_strings',
    async (a, b) => {
      await b.query('set standard_conforming_strings = off; set escape_string_warning = off');
      const sql = String.raw`insert into t select 5, '\'; delete from t; --', 1`;
      await b.query(sql);
      await b.query(String.raw`select * from t where s = 'a\nb'`);
      expect((await a.query('select s from t where id = 5')).rows).toEqual([{ s: "'; delete from t; --" }]);
    },
  ],
];

test.each([true, false].flatMap((log) => CASES.map((each) => [log, ...each] as const)))(
  'with the log: %s, %s is not blamed on PostgreSQL',
  async (log, _, levels, reason, run) => {
    const { path, summary, problems } = await recorded(
      SCHEMA,
      async ({ through }) => void (await run(await through(), await through())),
      { log },
    );
    const { promises } = await judge(path);
    expect(promises.map(({ level }) => level)).toEqual(levels);
    for (const { verdict } of promises) expect(verdict).not.toBe('violated');
    const reasons = summary.shapes.flatMap(({ opaque }) => opaque ?? []);
    if (reason !== null) expect(reasons).toContain(reason);
    expect(problems).toEqual([]);
  },
);

const OTHERS = 'create table other.t (id int primary key, s text, v int); insert into other.t (id, v) values (1, 5)';

test.each<[string, readonly string[], string]>([
  ['another search path', ['set search_path = other'], 'get other.t 1 v=5; put other.t 1 v=6'],
  [
    'the former search path',
    ['set search_path = other', 'set search_path = early, public'],
    'get t 1 v=1; put t 1 v=2',
  ],
  // The server looks for names again at an unknown time.
  ['a table that hides another', ['create table early.t (like t)'], 'put t 1 v=2'],
  [
    'a table that hides another and is used',
    [
      'create table early.t (id int primary key, s text, v int); insert into early.t values (1, null, 0); analyze public.t',
    ],
    'put early.t 1 v=1',
  ],
  ['a table of the same name', ['drop table t; alter table other.t set schema public'], 'get t 1 v=5; put t 1 v=6'],
])('a prepared statement after %s is recorded with the rows of the right table', async (_, changes, expected) => {
  const { transactions, problems } = await recorded(
    `create table t (id int primary key, s text, v int); insert into t values (1, null, 0);
    create schema early; create schema other; ${OTHERS}`,
    async ({ through }) => {
      const client = await through();
      await client.query('set search_path = early, public');
      const changesRow = () => client.query({ name: 'change', text: 'update t set v = v + 1 where id = 1' });
      await changesRow();
      for (const change of changes) await client.query(change);
      await changesRow();
    },
  );
  expect(told(transactions.at(-1)!).join('; ').replaceAll(/#\d+/g, '')).toBe(expected);
  expect(problems).toEqual([]);
});

test('a schema that another session creates may hide a table', async () => {
  const { transactions } = await recorded(
    'create table t (id int primary key, s text, v int); insert into t values (1, null, 0)',
    async ({ through }) => {
      const [a, b] = [await through(), await through()];
      await a.query('set search_path = other, public');
      await a.query('select * from t');
      await b.query('create schema other');
      await b.query(OTHERS);
      await a.query('select * from t limit 1');
    },
  );
  expect(told(transactions.at(-1)!)).toEqual(['get other.t 1 v=5']);
});
