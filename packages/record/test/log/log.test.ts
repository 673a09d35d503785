import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Line, ACCOUNTS, holds, told, recorded as record } from './recorded.ts';

let server: EmbeddedServer;
let folder: string;

beforeAll(async () => {
  server = await startEmbedded({ connectMs: 10_000 }, { wal_level: 'logical', max_prepared_transactions: '5' });
  folder = mkdtempSync(join(tmpdir(), 'isolab-record-'));
}, 60_000);

afterAll(async () => {
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const recorded = (
  setUp: string,
  meet: Parameters<typeof record>[3],
  options: Parameters<typeof record>[4] = {},
): ReturnType<typeof record> => record(server, folder, setUp, meet, options);

const outcomeOf = (line: Line, lines: readonly Line[]): unknown =>
  line['status'] === 'unknown'
    ? (lines.slice(lines.indexOf(line)).find((later) => 'outcome' in later && later.session === line.session)?.[
        'outcome'
      ] ?? 'unknown')
    : (line['status'] ?? 'committed');

describe('what others write', () => {
  test('is theirs, in the order of commits', async () => {
    const { transactions, summary, problems, path } = await recorded(ACCOUNTS, async ({ through, past }) => {
      const [a, b] = [await through(), await past()];
      await b.query('update accounts set amount = 11 where id = 1');
      await a.query('select * from accounts where id = 1');
      await b.query('begin; update accounts set amount = 12 where id = 1; delete from accounts where id = 2; commit');
      await a.query('update accounts set amount = amount + 1 where id = 1');
      await a.query('select * from accounts where amount > 100');
    });
    expect(problems).toEqual([]);
    expect(transactions.map((line) => [line.session, ...told(line)])).toEqual([
      ['outside 1', 'put accounts 1 amount=11'],
      ['1', 'get accounts 1 amount=11'],
      ['outside 2', 'put accounts 1 amount=12', 'put accounts 2 null'],
      ['1', 'get accounts 1 amount=12', 'put accounts 1 amount=13'],
      ['1', 'scan accounts'],
    ]);
    expect(summary).toMatchObject({ outsiders: 0, withoutScans: [], log: { outside: 2, leftOut: {} } });
    await holds(path, 'serializable');
  });
});

describe('what statements do not tell', () => {
  test('a trigger writes, and its transaction reads that before and after', async () => {
    const { transactions, problems, path } = await recorded(
      `${ACCOUNTS};
      create table audit(id int primary key generated always as identity, account int, amount int);
      create function note() returns trigger language plpgsql as $$ begin
        insert into audit(account, amount) values (new.id, new.amount);
        if new.amount > 50 then update accounts set amount = 50 where id = new.id; end if;
        return null; end $$;
      create trigger noted after update on accounts for each row execute function note()`,
      async ({ through }) => {
        const a = await through();
        await a.query('begin isolation level repeatable read');
        await a.query('select * from audit where account = 1');
        await a.query('update accounts set amount = 70 where id = 1');
        await a.query('select * from accounts where amount > 15');
        await a.query('select * from audit where account = 1');
        await a.query('commit');
      },
    );
    expect(problems).toEqual([]);
    expect(told(transactions[0]!)).toEqual([
      'scan audit',
      'get accounts 1 amount=10',
      'put accounts 1 amount=70',
      'put audit 1 account=1 amount=70',
      'put accounts 1 amount=50',
      'put audit 2 account=1 amount=50',
      'scan accounts',
      'scan audit',
    ]);
    await holds(path, 'serializable');
  });

  test('foreign keys cascade', async () => {
    const { transactions, problems, path } = await recorded(
      `create table owners(id int primary key); create table pets(id int primary key,
        owner int references owners on delete cascade on update cascade);
      insert into owners values (1), (2); insert into pets values (10, 1), (11, 1), (20, 2)`,
      async ({ through }) => {
        const a = await through();
        await a.query('delete from owners where id = 1');
        await a.query('update owners set id = 3 where id = 2');
        await a.query('select * from pets where owner > 0');
        await a.query('select * from owners where id = 2');
      },
    );
    expect(problems).toEqual([]);
    expect(transactions.map(told)).toEqual([
      ['get owners 1 ', 'put owners 1 null', 'put pets 10 null', 'put pets 11 null'],
      ['put owners 2 null', 'put owners 3 ', 'put pets 20 owner=3'],
      ['scan pets'],
      ['get owners 2 null'],
    ]);
    await holds(path, 'serializable');
  });

  test('functions and COPY write in their own transactions', async () => {
    const { transactions, problems, summary, path } = await recorded(
      `${ACCOUNTS};
      create function pay(who int, what int) returns int language plpgsql as $$ begin
        update accounts set amount = amount + what where id = who; return what; end $$;
      create function pay_in_block(who int, what int) returns int language plpgsql as $$ begin
        begin update accounts set amount = amount + what where id = who; exception when others then null; end;
        return what; end $$`,
      async ({ through }) => {
        const a = await through();
        await a.query('begin');
        await a.query('select * from accounts where id = 1');
        await a.query('select pay($1, 5)', [1]);
        await a.query('select pay_in_block(2, 5)');
        await a.query('select * from accounts where amount > 0');
        await a.query('commit');
        await a.query('select pay(1, 1)');
        await a.query(`copy accounts from program 'printf "3\\t30\\n4\\t40\\n"'`);
        await a.query(
          'with old as (delete from accounts where id = 4 returning *) insert into accounts select id + 1, amount from old',
        );
        await (await through()).query('select * from accounts where amount > 1');
      },
    );
    expect(problems).toEqual([]);
    expect(transactions.map((line) => [line.session, ...told(line)])).toEqual([
      ['1', 'get accounts 1 amount=10', 'put accounts 1 amount=15', 'put accounts 2 amount=25', 'scan accounts'],
      ['1', 'put accounts 1 amount=16'],
      ['1', 'put accounts 3 amount=30', 'put accounts 4 amount=40'],
      ['1', 'put accounts 4 null', 'put accounts 5 amount=40'],
      ['2', 'scan accounts'],
    ]);
    expect(summary.log).toEqual({ outside: 0, leftOut: {} });
    await holds(path, 'serializable');
  });

  test('what savepoints and exception blocks take back is not there, and what they leave is', async () => {
    const { transactions, problems, path } = await recorded(
      `${ACCOUNTS};
      create function attempt(who int, what int) returns void language plpgsql as $$ begin
        begin update accounts set amount = what where id = who; exception when others then null; end;
        begin update accounts set amount = -1 where id = who; raise 'no'; exception when others then null; end;
        end $$`,
      async ({ through, past }) => {
        const [a, b] = [await through(), await past()];
        await a.query('begin');
        await a.query('savepoint s');
        await a.query('update accounts set amount = 11 where id = 1');
        await a.query('select attempt(2, 21)');
        await a.query('rollback to s');
        await a.query('savepoint t');
        await a.query('update accounts set amount = 12 where id = 1');
        await a.query('release t');
        await a.query('select attempt(2, 22)');
        await a.query('commit');
        await a.query('select * from accounts where amount > 0');
        await b.query(
          'begin; savepoint s; update accounts set amount = 13 where id = 1; release s; select attempt(2, 23); commit',
        );
        await a.query('select * from accounts where amount > 0');
      },
    );
    expect(problems).toEqual([]);
    expect(transactions.map((line) => [line.session, ...told(line)])).toEqual([
      ['1', 'get accounts 1 amount=10', 'put accounts 1 amount=12', 'put accounts 2 amount=22'],
      ['1', 'scan accounts'],
      ['outside 1', 'put accounts 1 amount=13', 'put accounts 2 amount=23'],
      ['1', 'scan accounts'],
    ]);
    await holds(path, 'serializable');
  });

  test('large values that stay the same are those of the version before', async () => {
    const large = 'repeat(md5(id::text), 400)';
    const { transactions, problems, summary } = await recorded(
      `create table texts(id int primary key, t text, n int); alter table texts alter t set storage external;
      insert into texts select id, ${large}, 0 from generate_series(1, 2) id`,
      async ({ through, past }) => {
        const [a, b] = [await through(), await past()];
        await b.query('update texts set n = 1 where id = 1');
        await b.query(`insert into texts select id, ${large}, 0 from generate_series(3, 3) id`);
        await b.query('update texts set n = 2 where id = 3');
        await a.query('select * from texts where n > 0');
        await a.query('update texts set n = 3 where id = 2');
      },
    );
    expect(problems).toEqual([]);
    expect(summary).toMatchObject({ outsiders: 0, log: { leftOut: {} } });
    const rows = transactions.flatMap(({ ops = [] }) => ops.filter(([kind]) => kind === 'put').map((op) => op[3]));
    expect(rows.map((row) => String((row as { t: string }).t).length)).toEqual([12_800, 12_800, 12_800, 12_800]);
  });
});

test('a version of a subtransaction is nobody’s where its table has other columns in the log', async () => {
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

// PostgreSQL 18.4 returns as old the version of the statement's snapshot, and not the one that it waited for.
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

test('without the log, what an update replaced may not be known: then conditions say nothing', async () => {
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

describe('outcomes', () => {
  test('are those of the database where a connection died around COMMIT', async () => {
    const { lines, problems } = await recorded(
      `${ACCOUNTS}; create table waits(id int primary key);
      create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.4); return null; end $$;
      create constraint trigger waiting after insert on waits deferrable initially deferred
        for each row execute function wait()`,
      async ({ through, past }) => {
        const killer = await past();
        for (const isKilled of [false, true]) {
          const a = await through();
          const { rows } = await a.query<{ pid: number }>('select pg_backend_pid() as pid');
          await a.query('begin');
          await a.query(`update accounts set amount = amount + 1 where id = ${isKilled ? 1 : 2}`);
          await a.query(`insert into waits values (${isKilled ? 1 : 2})`);
          const commit = a.query('commit').catch(() => {});
          await new Promise((resolve) => setTimeout(resolve, 150));
          if (isKilled) await killer.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
          else (a as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
          await commit;
        }
        await new Promise((resolve) => setTimeout(resolve, 600));
      },
    );
    expect(problems).toEqual([]);
    const changed = lines.filter(({ ops }) => ops?.some(([, table]) => table === 'accounts'));
    expect(changed.map((line) => [outcomeOf(line, lines), told(line)[1]])).toEqual([
      ['committed', 'put accounts 2 amount=21'],
      ['aborted', 'put accounts 1 amount=11'],
    ]);
  });

  test('are those of the database where the recording ended in the middle of COMMIT', async () => {
    const { lines, problems } = await recorded(
      `${ACCOUNTS};
      create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.5); return null; end $$;
      create constraint trigger waiting after update on accounts deferrable initially deferred
        for each row execute function wait()`,
      async ({ through }) => {
        const a = await through();
        await a.query('begin');
        await a.query('update accounts set amount = 11 where id = 1');
        void a.query('commit').catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 100));
        a.end = async () => {}; // the recording ends the connection
      },
    );
    expect(problems).toEqual([]);
    const [changed] = lines.filter(({ ops }) => ops?.some(([kind]) => kind === 'put'));
    expect([outcomeOf(changed!, lines), changed!['end']]).toEqual(['committed', undefined]);
  });

  test('of prepared transactions are decided by whoever commits them', async () => {
    const { transactions, lines } = await recorded(ACCOUNTS, async ({ through, past }) => {
      const [a, b] = [await through(), await past()];
      for (const id of [1, 2]) {
        await a.query('begin');
        await a.query(`update accounts set amount = 0 where id = ${id}`);
        await a.query(`prepare transaction 'p${id}'`);
      }
      await b.query(`commit prepared 'p1'`);
      await b.query(`rollback prepared 'p2'`);
    });
    expect(transactions.map((line) => outcomeOf(line, lines))).toEqual(['committed', 'aborted']);
  });
});

test('values in the log are hashed as those in statements are', async () => {
  const { lines, summary, path } = await recorded(
    'create table people(id text primary key, name text); insert into people values (1, $$Ann Secret$$)',
    async ({ through, past }) => {
      const [a, b] = [await through(), await past()];
      await b.query(`update people set name = 'Bob Secret'`);
      await a.query(`select * from people where name = 'Bob Secret'`);
      await a.query(`update people set name = 'Carl Secret'`);
    },
    { redact: true },
  );
  expect(summary).toMatchObject({ outsiders: 0, log: { outside: 1 } });
  expect(JSON.stringify(lines)).not.toContain('Secret');
  await holds(path, 'serializable');
});

test('a log that is trusted says of each write what it replaced', async () => {
  const { transactions, path } = await recorded(
    ACCOUNTS,
    async ({ through, past }) => {
      const [a, b] = [await through(), await past()];
      await b.query('update accounts set amount = 11 where id = 1');
      await a.query('insert into accounts values (3, 30)');
      await a.query('begin; delete from accounts where id = 3; insert into accounts values (3, 31); commit');
      await b.query('delete from accounts where id = 3');
    },
    { trust: 'log' },
  );
  expect(transactions.map((line) => [line.session, ...told(line)])).toEqual([
    ['outside 1', 'get accounts 1 amount=10', 'put accounts 1 amount=11'],
    ['1', 'get accounts 3 null', 'put accounts 3 amount=30'],
    ['1', 'get accounts 3 amount=30', 'put accounts 3 null', 'put accounts 3 amount=31'],
    ['outside 2', 'get accounts 3 amount=31', 'put accounts 3 null'],
  ]);
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
])('what a trigger wrote behind a savepoint has one writer, in %s', async (_, altered) => {
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
      // What comes now has a number of its own, which is not the transaction's.
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

test('without the log, what a transaction may have written by itself accuses nobody', async () => {
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

/** Waits until the recording has read what is in the log by now. */
async function logIsRead(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ end: string }>('select pg_current_wal_lsn()::text as end');
  const isRead = 'select from pg_replication_slots where database = current_database() and confirmed_flush_lsn >= $1';
  while ((await client.query(isRead, [rows[0]!.end])).rowCount === 0)
    await new Promise((resolve) => setTimeout(resolve, 50));
}
