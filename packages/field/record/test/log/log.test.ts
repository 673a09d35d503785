import { describe, expect, test } from 'vitest';
import { type Line, ACCOUNTS, RecordedServer, holds, told } from './recorded.ts';

const { recorded } = new RecordedServer();

const outcomeOf = (line: Line, lines: readonly Line[]): unknown =>
  line['status'] === 'unknown'
    ? (lines.slice(lines.indexOf(line)).find((later) => 'outcome' in later && later.session === line.session)?.[
        'outcome'
      ] ?? 'unknown')
    : (line['status'] ?? 'committed');

describe('foreign writes', () => {
  test('foreign writes belong to their transactions, in the order of commits', async () => {
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

describe('changes that statements do not show', () => {
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

  test('changes that savepoints and exception blocks roll back are absent, and the others are present', async () => {
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

describe('outcomes', () => {
  test('outcomes are those of the database where a connection died around COMMIT', async () => {
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

  test('outcomes are those of the database where the recording ended in the middle of COMMIT', async () => {
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

  test('outcomes of prepared transactions are decided by the transaction that commits them', async () => {
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

test('a log that is trusted states the replaced version of each write', async () => {
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
