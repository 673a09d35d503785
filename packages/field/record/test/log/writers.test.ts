import type pg from 'pg';
import { expect, test } from 'vitest';
import { ACCOUNTS, RecordedServer, holds, told } from './recorded.ts';

const { recorded } = new RecordedServer();

test('a version of a subtransaction has no writer where its table has other columns in the log', async () => {
  const { transactions, problems, summary, path } = await recorded(
    `${ACCOUNTS};
    create function in_block(who int, what int) returns void language plpgsql as $$ begin
      begin update accounts set amount = what where id = who; exception when others then null; end; end $$`,
    async ({ through, past }) => {
      const [a, other] = [await through(), await past()];
      await a.query('select in_block(1, 11)');
      await logIsRead(other);
      await a.query('alter table accounts add column note int default 7');
      await a.query('select * from accounts where id = 1');
      await a.query('select * from accounts where id = 2');
    },
  );
  expect(problems).toEqual([]);
  expect(transactions.map((line) => [line.session, ...told(line)])).toEqual([
    ['1', 'put accounts 1 '],
    ['1', 'get accounts 2 '],
  ]);
  expect(summary).toMatchObject({ outsiders: 0, withoutScans: ['accounts'] });
  await holds(path, 'serializable');
});

// PostgreSQL 18.4 returns as old the version of the statement's snapshot, and not the awaited one.
test.each([true, false])('an update that waited, of a row with a BEFORE trigger, with the log: %s', async (log) => {
  const { transactions, problems, path } = await recorded(
    `${ACCOUNTS};
    create function keep() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger kept before update on accounts for each row execute function keep()`,
    async ({ through, past }) => {
      const [a, b, other] = [await through(), await through(), await past()];
      await a.query('begin; update accounts set amount = amount + 1 where id = 1');
      const waiting = b.query('update accounts set amount = amount + 1 where id = 1');
      await isBlocked(other);
      await a.query('commit');
      await waiting;
    },
    { log },
  );
  expect(problems).toEqual([]);
  expect(transactions.map((line) => told(line).slice(-1))).toEqual([
    ['put accounts 1 amount=11'],
    ['put accounts 1 amount=12'],
  ]);
  await holds(path, 'serializable');
});

test('without the log, the version that an update replaced may be unknown: then conditions show nothing', async () => {
  const { problems, path, summary } = await recorded(
    `${ACCOUNTS};
    create function keep() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger kept before update on accounts for each row execute function keep()`,
    async ({ through }) => {
      const [a, b] = [await through(), await through()];
      await a.query('delete from accounts where id = 1');
      await b.query('insert into accounts values (1, 30)');
      await a.query('update accounts set amount = 31 where id = 1');
      await b.query('select * from accounts where amount > 5');
    },
    { log: false },
  );
  expect(problems).toEqual([]);
  expect(summary.withoutScans).toEqual(['accounts']);
  await holds(path, 'serializable');
});

test.each([
  ['the log', '', true],
  ['the log, which lacks the table', 'alter table accounts set unlogged', true],
  ['the log, which lacks its keys', 'alter table accounts replica identity nothing', true],
  ['no log', '', false],
] as const)('a key that is given up and taken again is another row, with %s', async (_, altered, log) => {
  const { path, problems } = await recorded(
    `${ACCOUNTS}; ${altered}`,
    async ({ through }) => {
      const [a, b] = [await through(), await through()];
      await b.query('begin isolation level repeatable read');
      await b.query('select * from accounts where id = 2');
      await a.query('begin; delete from accounts where id = 1; update accounts set amount = 21 where id = 2; commit');
      // Its snapshot still has the row 1, and PostgreSQL lets it insert another one.
      await b.query('insert into accounts values (1, 11)');
      await b.query('select * from accounts where id = 1');
      await b.query('commit');
    },
    { log },
  );
  expect(problems).toEqual([]);
  await holds(path, 'snapshot-isolation');
});

test.each([
  ['a table that the log tells', ''],
  ['one that it does not', 'alter table notes replica identity nothing'],
  ['an unlogged one', 'alter table notes set unlogged'],
])('a version that a trigger wrote behind a savepoint has one writer, in %s', async (_, altered) => {
  const { path, problems } = await recorded(
    `${ACCOUNTS}; create table notes(id int primary key, n int); ${altered};
    create function note() returns trigger language plpgsql as $$ begin
      insert into notes values (new.id, new.amount); return null; end $$;
    create trigger noted after update on accounts for each row execute function note()`,
    async ({ through }) => {
      const [a, b] = [await through(), await through()];
      await a.query('begin isolation level repeatable read');
      await a.query('select * from notes where id = 1');
      await a.query('insert into accounts values (3, 30)');
      // The next transaction has a number of its own, which is not the transaction's.
      await a.query('savepoint one');
      await a.query('update accounts set amount = 11 where id = 1');
      await a.query('commit');
      await b.query('select * from accounts where id = 1');
      await b.query('select * from notes where n = 11');
    },
  );
  expect(problems).toEqual([]);
  await holds(path, 'serializable');
});

test('without the log, a possible own write accuses no transaction', async () => {
  const { path, transactions } = await recorded(
    `${ACCOUNTS}; create function bump() returns void language plpgsql as $$ begin
      begin update accounts set amount = 11 where id = 1; exception when division_by_zero then null; end; end $$`,
    async ({ through }) => {
      const a = await through();
      await a.query('begin isolation level repeatable read');
      await a.query('select * from accounts where id = 1');
      await a.query('select bump()');
      await a.query('select * from accounts where id = 1');
      await a.query('select * from accounts where id = 2');
      await a.query('commit');
    },
    { log: false },
  );
  expect(transactions.map(told)).toEqual([['get accounts 1 amount=10', 'get accounts 2 amount=20']]);
  await holds(path, 'serializable');
});

/** Waits until a statement waits for a lock. */
async function isBlocked(client: pg.Client): Promise<void> {
  const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await client.query(blocked)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Waits until the recording has read the log as it is now. */
async function logIsRead(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ end: string }>('select pg_current_wal_lsn()::text as end');
  const isRead = 'select from pg_replication_slots where database = current_database() and confirmed_flush_lsn >= $1';
  while ((await client.query(isRead, [rows[0]!.end])).rowCount === 0)
    await new Promise((resolve) => setTimeout(resolve, 50));
}
