import { startEmbedded } from '@isolab/collector';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { judge } from '../../src/judgement/judge.ts';
import { startRecord } from '../../src/index.ts';
import { ACCOUNTS, RecordedServer, connected, holds, told, recorded as record } from './recorded.ts';

const own = new RecordedServer();
const { recorded } = own;

describe('changes that the log does not show', () => {
  test('changes of tables that are truncated, unlogged, redefined, or without a key in the log are reported', async () => {
    const { summary, problems, path } = await recorded(
      `${ACCOUNTS};
      create unlogged table unlogged_ones(id int primary key, n int); insert into unlogged_ones values (1, 1);
      create table nothing_told(id int primary key, n int); insert into nothing_told values (1, 1);
      alter table nothing_told replica identity nothing;
      create table full_told(id int primary key, n int); insert into full_told values (1, 1);
      alter table full_told replica identity full;
      create table grown(id int primary key, n int); insert into grown values (1, 1), (2, 2);
      create table emptied(id int primary key, n int); insert into emptied values (1, 1);
      create table gone(id int primary key, n int); insert into gone values (1, 1)`,
      async ({ through, past }) => {
        const [a, b] = [await through(), await past()];
        await b.query('update unlogged_ones set n = 2');
        await b.query('update nothing_told set n = 2');
        await b.query('update full_told set n = 2');
        await b.query(
          'delete from full_told; insert into full_told values (1, 3), (2, 2); update full_told set id = 5 where id = 2',
        );
        await a.query('select * from grown where n > 1');
        await a.query('alter table grown add column m int default 7');
        await b.query('update grown set n = 3 where id = 2');
        await a.query('select * from grown where n > 1');
        await a.query('truncate emptied');
        await b.query('insert into emptied values (1, 2)');
        await b.query('drop table gone; create table gone(id int primary key, n int); insert into gone values (1, 5)');
        for (const table of ['unlogged_ones', 'nothing_told', 'full_told', 'emptied', 'accounts', 'gone'])
          await a.query(
            `select * from ${table} where n > 1`.replace('n > 1', table === 'accounts' ? 'amount > 1' : 'n > 1'),
          );
      },
    );
    expect(problems).toEqual([]);
    expect(summary.log!.leftOut).toEqual({
      unlogged_ones: 'an unlogged table',
      nothing_told: 'its REPLICA IDENTITY lacks the primary key',
      grown: 'it was redefined or rewritten',
      emptied: 'it was truncated',
      gone: 'it was redefined or rewritten',
    });
    expect([...summary.withoutScans].toSorted()).toEqual(['emptied', 'gone', 'grown', 'nothing_told', 'unlogged_ones']);
    await holds(path, 'serializable');
  });

  test('changes of a transaction of very many rows are reported', async () => {
    const { summary, path } = await recorded(ACCOUNTS, async ({ through, past }) => {
      const [a, b] = [await through(), await past()];
      await b.query(
        'insert into accounts select id, 1 from generate_series(3, 60000) id; update accounts set amount = 2',
      );
      await a.query('select * from accounts where id = 500');
      await a.query('select * from accounts where amount > 15');
    });
    expect(summary).toMatchObject({
      outsiders: 1,
      withoutScans: ['accounts'],
      log: { leftOut: { accounts: 'a transaction wrote too many of its rows' } },
    });
    await holds(path, 'serializable');
  });
});

describe('without the log', () => {
  const startAs = async (address: string, options: { readonly trust?: 'log' } = {}) =>
    startRecord({ upstream: address, path: join(own.folder, 'without.jsonl'), ...options });

  test('a remedy is printed', async () => {
    const plain = await startEmbedded();
    try {
      const running = await startAs(plain.address);
      expect(running.withoutLog).toContain('if the server ran with wal_level = logical');
      await running.finish();
      await expect(startAs(plain.address, { trust: 'log' })).rejects.toThrow('wal_level = logical');
    } finally {
      await plain.database.close();
    }
    const role = new URL(own.server.address);
    const admin = await connected(own.server.address);
    await admin.query(`create role reader login password 'r'`);
    await admin.end();
    [role.username, role.password] = ['reader', 'r'];
    const running = await startAs(role.href);
    expect(running.withoutLog).toContain('ALTER ROLE … REPLICATION');
    expect((await running.finish()).log).toBeNull();
  });

  test('a recording whose server crashed is completed', async () => {
    const crashing = await startEmbedded({ connectMs: 10_000 }, { wal_level: 'logical' });
    try {
      const { problems, summary, transactions } = await record(crashing, own.folder, ACCOUNTS, async ({ through }) => {
        const a = await through();
        await a.query('update accounts set amount = 11 where id = 1');
        await crashing.crash();
        await (await through()).query('update accounts set amount = 21 where id = 2');
      });
      expect(problems.filter((problem) => problem.startsWith('the log could not be read'))).toHaveLength(1);
      expect(summary.log).toBeNull();
      expect(transactions.map((line) => told(line).at(-1))).toEqual([
        'put accounts 1 amount=11',
        'put accounts 2 amount=21',
      ]);
    } finally {
      await crashing.database.close();
    }
  });
});

test('a table that is locked by its own client is not waited for', async () => {
  await recorded(ACCOUNTS, async ({ through }) => {
    const a = await through();
    await a.query('begin; alter table accounts add column note text');
    const { rows } = await a.query('select id, note from accounts where amount > 1e6');
    expect(rows).toEqual([]);
    await a.query('commit');
  });
});

test.each([true, false])(
  'tables that are changed, emptied and made again are blamed on no transaction, with the log: %s',
  async (log) => {
    const { path } = await recorded(
      'select',
      async ({ through }) => {
        const [a, b] = [await through(), await through()];
        for (let time = 0; time < 3; time++) {
          await a.query('drop table if exists made, emptied');
          await a.query('create table made (id int primary key, n int)');
          await a.query('create table emptied (id int primary key, n int)');
          await a.query('select * from made where n > 0');
          await b.query('insert into made values (1, 1), (2, 2)');
          await b.query('insert into emptied values (1, 1), (2, 2)');
          await a.query('truncate emptied');
          await b.query('select * from emptied where n > 0');
          await b.query('insert into emptied values (1, 5)');
          await b.query('begin');
          await b.query('alter table made add column m int default 7');
          await b.query('update made set n = 9 where id = 1');
          await b.query('commit');
          await a.query('select * from made where m = 7');
          await a.query('delete from made where id = 1');
          await a.query('insert into made values (1, 1, 1)');
          await b.query('select * from made where m < 7');
        }
      },
      { log },
    );
    const { promises, troubles } = await judge(path);
    expect(promises).toMatchObject([{ level: 'read committed', verdict: 'satisfied' }]);
    expect(troubles).toEqual([]);
  },
);

test.each([true, false])(
  'a table that gets its primary key during the recording is recorded from then on, with the log: %s',
  async (log) => {
    const { path } = await recorded(
      'select',
      async ({ through }) => {
        const [a, b] = [await through(), await through()];
        await a.query('create table late (id int, n int)');
        await a.query('insert into late values (1, 100)');
        await a.query('alter table late add primary key (id)');
        await a.query('insert into late values (2, 100)');
        for (const id of [1, 2]) {
          for (const client of [a, b]) await client.query('begin');
          for (const client of [a, b]) await client.query('select * from late where id = $1', [id]);
          for (const client of [a, b]) {
            await client.query('update late set n = 99 where id = $1', [id]);
            await client.query('commit');
          }
        }
      },
      { log },
    );
    const { troubles, verdict } = await judge(path);
    expect(verdict).toBe('satisfied');
    expect(troubles).toMatchObject([{ title: 'Lost update', count: 2, cost: 'late.n: 4 decrements, only 2 counted' }]);
  },
);

test.each([true, false])('unusual tables and keys are recorded under one name, with the log: %s', async (log) => {
  const { path, summary, transactions } = await recorded(
    `create table empty (); create table covered (id int, n int, primary key (id) include (n));
    create table flags (id int, is_set bool, n int, primary key (id, is_set));
    insert into covered values (1, 0); insert into flags values (1, true, 0)`,
    async ({ through }) => {
      const client = await through();
      await client.query('insert into empty default values; select from empty');
      for (const table of ['covered', 'flags']) {
        await client.query(`update ${table} set n = n + 1 where id = 1`);
        await client.query(`update ${table} set n = n + 1 where id = $1`, [1]);
        await client.query('begin; savepoint s');
        await client.query(`update ${table} set n = n + 1 where id = 1`);
        await client.query('commit');
      }
    },
    { log },
  );
  const updates = transactions.map((line) => told(line).slice(-1)).filter(([text]) => text?.startsWith('put'));
  const keys = new Set(
    transactions.flatMap(({ ops }) => ops!.map(([, table, key]) => `${String(table)} ${String(key)}`)),
  );
  expect(updates).toHaveLength(6);
  expect(keys.size).toBe(2);
  expect(summary.log?.outside ?? 0).toBe(0);
  await holds(path, 'serializable');
});

test.each([true, false])(
  'a test that inserts the rows of the previous test again loses updates of them, with the log: %s',
  async (log) => {
    const { path } = await recorded(
      'create table items (id int primary key, n int)',
      async ({ through }) => {
        const [a, b] = [await through(), await through()];
        for (let time = 0; time < 2; time++) {
          await a.query('delete from items');
          await a.query('insert into items values (7, 100)');
          for (const client of [a, b]) await client.query('begin');
          for (const client of [a, b]) await client.query('select * from items where id = 7');
          for (const client of [a, b]) {
            await client.query('update items set n = 99 where id = 7');
            await client.query('commit');
          }
        }
      },
      { log },
    );
    const { troubles, verdict, isComplete } = await judge(path);
    expect([verdict, isComplete]).toEqual(['satisfied', true]);
    expect(troubles).toMatchObject([{ title: 'Lost update', count: 2, cost: 'items.n: 4 decrements, only 2 counted' }]);
    expect(troubles[0]!.summary).toContain('reads items/7 = ');
    expect(JSON.stringify([troubles[0]!.summary, troubles[0]!.example])).not.toMatch(/#\d|xmin/);
  },
);

test('a client of another database is let pass, and is not recorded', async () => {
  const { summary, problems } = await recorded(ACCOUNTS, async ({ through, past }) => {
    const direct = await past();
    await direct.query('create database elsewhere');
    const { host, port, user, password } = await through();
    const client = new pg.Client({ host, port, user: user!, password: password!, database: 'elsewhere' });
    await client.connect();
    await client.query('create table accounts (id int primary key, amount text)');
    await client.query("insert into accounts values (1, 'a')");
    expect((await client.query('select * from accounts')).rows).toEqual([{ id: 1, amount: 'a' }]);
    await client.end();
  });
  expect(summary.transactions).toBe(0);
  expect(problems).toEqual([expect.stringContaining('it uses the database elsewhere, but')]);
});
