/** A client gets through the proxy, byte for byte, the answers of the server. */
import { setTimeout } from 'node:timers/promises';
import { open } from 'isolab';
import { beforeAll, describe, expect, test } from 'vitest';
import { all, front } from './messages.ts';
import { RawClient, type RawOptions, cancel, messagesIn } from './raw-client.ts';
import { type Through, useServer } from './servers.ts';

const WIDE = Array.from({ length: 800 }, (_, i) => `c${i} int default ${i}`);

const server = useServer(`
  create table accounts (id int primary key, balance int not null, name text, unique (name));
  create table events (note text);
  create table wide (id int primary key, ${WIDE.join(', ')});
  create table pairs (a int, b text, data bytea, primary key (a, b));
  create view rich as select * from accounts where balance > 100;
  create function doubled(x int) returns int language sql immutable as 'select 2 * x';
  create schema elsewhere;
  create table elsewhere.accounts (note text);
  create role limited;
  grant usage on schema public, elsewhere to limited;
  grant select (id, balance), update (balance) on accounts to limited;
  grant select on elsewhere.accounts to limited;
  create function warned() returns int language plpgsql as
    $$ begin raise notice 'look out'; return 1; end $$`);

/** Columns of pg_proc. */
const INT4ABS = 1251;

let through: Through;
beforeAll(async () => {
  through = await server.record();
});

const RESET = `
  truncate accounts, events, wide, pairs, elsewhere.accounts;
  insert into accounts select i, 100 * i, 'name ' || i from generate_series(1, 5) i;
  insert into wide (id) values (1), (2)`;

/** Messages to send, and the end of the answer. */
type Step = readonly [bytes: Buffer, type?: string, count?: number];

const query = (sql: string): Step => [front.query(sql)];
const run = (...messages: readonly Buffer[]): Step => [all(...messages, front.sync())];
const prepared = (sql: string, parameters: readonly (string | null)[] = [], formats: readonly number[] = []): Step =>
  run(
    front.parse(sql),
    front.describeStatement(),
    front.bind({ parameters, formats }),
    front.describePortal(),
    front.execute(),
  );

const DIALOGUES: Readonly<Record<string, readonly Step[]>> = {
  'simple queries': [
    query('select 1; select id, balance from accounts order by id; select count(*) from accounts'),
    query(''),
    query('-- nothing'),
    query(';;'),
    query('select from accounts'),
    query('select *, name as "ours", id + 1 from accounts as a where a.id = 2'),
    query("insert into accounts values (10, 5, 'ten'); update accounts set balance = balance + 1 where id = 10"),
    query('delete from accounts where id = 10 returning *, balance * 2 as twice'),
    query("insert into accounts values (1, 1, 'x') on conflict (id) do update set balance = 0"),
    query("insert into accounts values (1, 1, 'x') on conflict do nothing returning id"),
    query('update accounts set balance = 0 where id = 99'),
    query('select * from accounts a join pairs p on p.a = a.id'),
    query('select name from rich union select name from accounts order by 1'),
    query("select 'é😀', name from accounts where name <> 'ü' order by id for update"),
    query('with gone as (delete from accounts where id = 5 returning *) select * from gone'),
    query('select doubled(balance) from accounts; select warned() from accounts; table accounts'),
    query("merge into accounts a using (values (1)) v (id) on a.id = v.id when matched then update set name = 'm'"),
    query('create temp table notes (id int primary key); insert into notes values (1); select count(*) from notes'),
    query('explain (costs off) select * from accounts where id = 1'),
  ],
  transactions: [
    query('begin isolation level serializable'),
    query('select sum(balance) from accounts'),
    query('savepoint a; update accounts set balance = 1; rollback to a; release a'),
    query('select balance from accounts where id = 1'),
    query('commit and chain'),
    query('rollback'),
    query('commit'),
    query('begin read only; update accounts set balance = 1'),
    query('select 1'),
    query('commit'),
  ],
  errors: [
    query('nonsense'),
    query('select nosuch from accounts'),
    // With literals that are fine first, so that the statement is rewritten when they are not.
    query("select id from accounts where balance = '300'; update accounts set balance = '1' where id = 1"),
    query("select id from accounts where balance = 'abc'"),
    query("select id from accounts where balance = '300' and name = 'é'"),
    query("select id from accounts where balance = 'abc' and name = 'é'"),
    query("select 'é😀' as x, id from accounts where name = 'zé' and balance = 'abc'"),
    query("select id from accounts where id = 1; select id from accounts where id = 2 and balance = 'x'"),
    query("update accounts set balance = 'x' where id = 1"),
    query("delete from accounts where balance = 'x' returning id"),
    query('select 100 / (id - 3) from accounts order by id'),
    query("insert into accounts values (1, 1, 'twice')"),
    query("insert into accounts values (7, null, 'null')"),
    query('begin; select * from accounts where id = 1 for update; nonsense'),
    query('select * from accounts'),
    query('rollback'),
    run(front.parse("select id from accounts where balance = 'abc'"), front.bind(), front.execute()),
    run(front.parse('select balance / (id - 1) from accounts', 'd'), front.bind({ statement: 'd' }), front.execute()),
    prepared('select id from accounts where id = $1', ['abc']),
    run(front.parse('select nosuch from accounts', 's')),
    run(front.parse('select 1; select 2')),
    run(front.bind({ statement: 'none' }), front.execute()),
    run(front.execute('none')),
    run(front.describeStatement('none')),
    run(front.closeStatement('none'), front.closePortal('none')),
  ],
  'the extended protocol': [
    prepared('select * from accounts where id = $1', ['2']),
    prepared('select * from accounts where id = $1', ['2'], [1]),
    prepared('select name, id from accounts where id = $1', ['2'], [0, 1]),
    prepared('update accounts set balance = balance + $1 where id = $2', ['5', '3']),
    prepared('insert into accounts values ($1, $2, $3) returning id, name', ['20', '7', null], [1]),
    prepared('insert into accounts values (21, 1, $1)', ["it's"]),
    prepared('begin'),
    prepared('select 1'),
    prepared('commit'),
    prepared(''),
    run(front.parse('select * from accounts where id < $1 order by id', 's'), front.describeStatement('s')),
    run(front.bind({ statement: 's', parameters: ['4'] }), front.execute()),
    run(front.bind({ statement: 's', parameters: ['2'], formats: [1] }), front.describePortal(), front.execute()),
    run(front.parse('select 1', 's')),
    run(front.closeStatement('s'), front.parse('select 2', 's'), front.bind({ statement: 's' }), front.execute()),
  ],
  'portals that are fetched in portions': [
    query('begin'),
    run(front.parse('select id, name from accounts order by id', 's')),
    [
      all(front.bind({ statement: 's', portal: 'p' }), front.describePortal('p'), front.execute('p', 2), front.flush()),
      's',
    ],
    [all(front.bind({ statement: 's', portal: 'q' }), front.execute('q', 1), front.flush()), 's'],
    query('update accounts set balance = 0 where id = 4'),
    [all(front.execute('p', 2), front.flush()), 's'],
    run(front.execute('q', 0), front.closePortal('q'), front.execute('p', 2), front.execute('p', 2)),
    query('rollback'),
    query('begin; declare c cursor for select * from accounts order by id; fetch 2 from c'),
    query('fetch 1 from c; update accounts set balance = 9 where current of c; move 1 in c; fetch all from c; commit'),
    run(front.parse('update accounts set balance = 1'), front.bind(), front.describePortal(), front.execute('', 2)),
    run(
      front.parse('update accounts set balance = 1 returning id'),
      front.bind(),
      front.execute('', 2),
      front.execute('', 9),
    ),
  ],
  pipelining: [
    [
      all(
        ...[1, 2, 3].flatMap((id) => [
          front.parse(`select name from accounts where id = ${id}`),
          front.bind(),
          front.describePortal(),
          front.execute(),
          front.sync(),
        ]),
        front.query('select 4'),
        front.query('nonsense'),
        front.query('select id from accounts order by id'),
      ),
      'Z',
      6,
    ],
    [
      all(
        front.parse('insert into accounts values (30, 1, $1)', 'i'),
        front.bind({ statement: 'i', parameters: ['a'] }),
        front.execute(),
        front.bind({ statement: 'i', parameters: ['b'] }),
        front.execute(),
        front.parse('select 1'),
        front.sync(),
        front.parse('select id from accounts where id = 30'),
        front.bind(),
        front.execute(),
        front.sync(),
      ),
      'Z',
      2,
    ],
  ],
  COPY: [
    query('copy accounts to stdout'),
    query("copy (select id, 'a' || chr(9) from accounts order by id) to stdout with (format csv)"),
    [front.query('copy events from stdin; select count(*) from events'), 'G'],
    [all(front.copyData('one\ntwo\n'), front.copyData('three\n'), front.copyDone())],
    [front.query('copy events from stdin'), 'G'],
    [front.copyFail('changed my mind')],
    [front.query('copy accounts from stdin'), 'G'],
    [all(front.copyData('not a number\t1\tx\n'), front.copyDone())],
    [all(front.parse('copy events from stdin'), front.bind(), front.execute(), front.flush()), 'G'],
    [all(front.copyData('four\n'), front.copyDone(), front.sync())],
    query('table events'),
  ],
  'statements that are given up in SQL': [
    run(front.parse('select name from accounts where id = 1', 's'), front.parse('select 2', 'T')),
    query('deallocate s'),
    query('/* both */ deallocate prepare "T"'),
    run(front.bind({ statement: 's' }), front.execute()),
    query('prepare s as select balance, id from accounts where id = $1'),
    run(front.bind({ statement: 's', parameters: ['1'] }), front.describePortal(), front.execute()),
    query('execute s(2)'),
    query('discard all'),
    run(front.bind({ statement: 's', parameters: ['1'] }), front.execute()),
    run(front.parse('select name from accounts where id = 1', 's'), front.bind({ statement: 's' }), front.execute()),
    query('deallocate all'),
    run(front.bind({ statement: 's' }), front.execute()),
  ],
  settings: [
    query("set application_name = 'other'"),
    query('show application_name; set timezone to utc; reset application_name'),
    query("set search_path = pg_temp; select to_regclass('accounts')"),
    query("select id from public.accounts; set client_encoding to 'latin1'"),
    [front.query("select 'x' || name from accounts order by id")],
    query('set standard_conforming_strings to off'),
    query("select id from accounts where name = 'it\\'s'"),
  ],
  'names that mean something else': [
    query('create temp table accounts (note text, id int)'),
    query("insert into accounts values ('mine', 7); update accounts set id = 8 returning note || id as both"),
    query("select note || '' as note from accounts; select balance from public.accounts where id = 1"),
    query('drop table accounts; select balance from accounts where id = 1'),
    query('set search_path = elsewhere; insert into accounts values (1); select * from accounts'),
    query('select * from public.accounts where id = 1; reset search_path; select * from accounts where id = 1'),
    query("select set_config('search_path', 'elsewhere', false)"),
    query('select * from accounts; delete from accounts'),
    query("select set_config('search_path', 'public', false)"),
    query('select * from accounts where id = 1'),
    query('discard all'),
    query('begin; set local search_path = elsewhere; select * from accounts; commit'),
    query('select * from accounts where id = 1'),
    query('set role limited'),
    query('update accounts set balance = balance + 1 where id = 1'),
    query('update public.accounts set balance = balance + 1 where id = 1 returning balance'),
    query('select id from accounts where id = 1'),
    query('reset role; select id from accounts where id = 1'),
  ],
  'a row of many columns': [
    query('select * from wide order by id'),
    query('update wide set c1 = 0 returning *'),
    query(`select ${Array.from({ length: 1660 }, (_, i) => `c${i % 800}`).join(', ')} from wide`),
    prepared('select * from wide where id = $1', ['1'], [1]),
  ],
  'large values': [
    prepared("insert into pairs values (1, 'b', decode(repeat('ab', 3000000), 'hex')) returning length(data)"),
    prepared('select data from pairs', [], [1]),
    prepared('insert into pairs values (2, $1, null)', ['x'.repeat(2000)]),
    query(`insert into events values ('${'long '.repeat(400_000)}') returning length(note)`),
    query('select b, data from pairs order by a; table events'),
  ],
  'a function call': [
    [front.call(INT4ABS, '-5')],
    query('begin'),
    [front.call(INT4ABS, 'many')],
    [front.call(1, '')],
    query('rollback'),
  ],
};

/** Replaces the bytes that differ between any two connections. */
function withoutKeys(bytes: Buffer): Buffer {
  return all(
    ...messagesIn(bytes).map(([type, message]) => {
      if (type === 'A') return all(message.subarray(0, 5), Buffer.alloc(4), message.subarray(9));
      return type === 'K' ? message.subarray(0, 5) : message;
    }),
  );
}

async function told(url: string, steps: readonly Step[], options?: RawOptions): Promise<Buffer[]> {
  await server.ask(RESET);
  const client = await RawClient.connect(url, options);
  try {
    const answers = [withoutKeys(client.greeting)];
    for (const [bytes, type, count] of steps) answers.push(await client.ask(bytes, type, count));
    return answers;
  } finally {
    client.close();
  }
}

const shown = (answers: readonly Buffer[]): string[] => answers.map((answer) => answer.toString('latin1'));

/** Runs the steps straight to the server and through a proxy. */
async function expectSame(steps: readonly Step[], options?: RawOptions): Promise<void> {
  const expected = await told(server.url, steps, options);
  const seen = await told(through.url, steps, options);
  // Sends once more, with the earlier plan.
  const again = await told(through.url, steps, options);
  // Large ones are compared as texts only if they differ.
  for (const answers of [seen, again])
    if (!all(...answers).equals(all(...expected))) expect(shown(answers)).toEqual(shown(expected));
  expect(through.problems).toEqual([]);
}

test.each(Object.entries(DIALOGUES))('%s', (_, steps) => expectSame(steps));

test.each([
  ['3.2', 0x3_0002],
  ['a later one', 0x3_270f],
])('protocol %s', async (_, protocol) => {
  const parameters = { '_pq_.nosuch': 'x', application_name: 'later', client_encoding: 'utf8' };
  await expectSame([query('select id from accounts order by id')], { protocol, parameters });
});

describe.each([0x3_0000, 0x3_0002])('under protocol %i', (protocol) => {
  test('a statement is cancelled by the key that the client was given', async () => {
    for (const url of [server.url, through.url]) {
      const client = await RawClient.connect(url, { protocol });
      const answer = client.ask(front.query('select id, pg_sleep(60) from accounts'));
      await setTimeout(200);
      await cancel(through.url, client.greeted);
      expect((await answer).toString('latin1')).toContain('C57014\0Mcanceling statement due to user request');
      client.close();
    }
  });
});

test('notifications come while the client waits, and with its answers', async () => {
  const steps: readonly Step[] = [
    query('listen news; listen "Other"'),
    query("notify news, 'to myself'"),
    query("begin; notify news, 'later'; select 1; commit"),
    query('unlisten *'),
  ];
  const answers: string[][] = [];
  for (const url of [server.url, through.url]) {
    await server.ask(RESET);
    const client = await RawClient.connect(url);
    const listened = [await client.ask(...steps[0]!)];
    await server.ask('notify "Other", \'from outside\'');
    listened.push(await client.ask(Buffer.alloc(0), 'A'));
    for (const step of steps.slice(1)) listened.push(await client.ask(...step));
    answers.push(shown(listened.map(withoutKeys)));
    client.close();
  }
  expect(answers[1]).toEqual(answers[0]);
});

test('most of it was followed, and can be read', async () => {
  const { shapes } = await through.finish();
  const opaque = new Map(shapes.map(({ shape, opaque: why }) => [shape, why]));
  for (const shape of ['select id from accounts where balance = $1', 'select * from accounts where id = $1'])
    expect(opaque.get(shape)).toBe(null);
  const calls = (some: typeof shapes): number => some.reduce((sum, each) => sum + each.calls, 0);
  expect(calls(shapes.filter((shape) => shape.opaque === null)) / calls(shapes)).toBeGreaterThan(0.7);
  const opened = await open(through.path);
  expect(opened.kind).toBe('history');
});
