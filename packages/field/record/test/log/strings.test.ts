/** Query strings of several statements get the bytes of a direct connection, with the log and without it. */
import { expect, test } from 'vitest';
import { front } from '../wire/messages.ts';
import { numbersFrom } from '../wire/random.ts';
import { RawClient, messagesIn } from '../wire/raw-client.ts';
import { RecordedServer, type connected } from './recorded.ts';

const STRINGS = Number(process.env['ISOLAB_COUNT'] ?? (process.env['ISOLAB_SLOW'] === undefined ? 60 : 2_000));

const SCHEMA = `
create table acct (id int primary key, n int, s text);
create table plain (v int);
create table part (id int primary key, v int) partition by range (id);
create table part1 partition of part for values from (0) to (1000);
create table child (id int primary key, acct int references acct deferrable initially deferred);
create schema other;
create view other.acct as select 7 as id, 8 as n, 'view' as s;
create function touch(int) returns int language sql as 'update acct set n = n + 1 where id = $1 returning n';
create function look(int) returns int language plpgsql as
  $$ begin raise notice 'look %', $1; return (select n from acct where id = $1); end $$;
create function moves() returns text language sql as $$ select set_config('search_path', 'other, public', false) $$;
create procedure bumps(int) language plpgsql as $$ begin update acct set n = n + 1 where id = $1; end $$;
insert into acct select i, i, 'n' || i from generate_series(1, 5) i`;

const FORMS: readonly ((n: number) => string)[] = [
  (n) => `insert into acct values (${10 + n}, ${n}, 'new')`,
  (n) => `insert into acct values (${n}, 0, 'x') on conflict (id) do update set n = acct.n + 1 returning n`,
  (n) => `insert into plain values (${n})`,
  (n) => `insert into part values (${n}, ${n})`,
  (n) => `insert into child values (${n}, ${n})`,
  (n) => `update acct set n = n + 1 where id = ${n} returning id, n`,
  (n) => `update plain set v = v + 1 where v > ${n}`,
  (n) => `delete from acct where id = ${10 + n}`,
  (n) => `select * from acct where id = ${n}`,
  () => 'select id, n from acct order by id for update',
  () => 'select count(*) from acct',
  (n) => `select touch(${n})`,
  (n) => `select look(${n})`,
  (n) => `select touch(${n}), id from acct where id < 3 order by id`,
  (n) => `with x as (update acct set n = ${n} where id = 1 returning *) select n from x`,
  (n) => `merge into acct a using (values (${n})) v (id) on a.id = v.id when matched then update set n = 9`,
  (n) => `create table made${n} (id int primary key, v int)`,
  (n) => `insert into made${n} values (1, 1) returning *`,
  (n) => `drop table if exists made${n}`,
  () => 'create temp table acct (id int primary key, v int)',
  () => 'drop table if exists pg_temp.acct',
  () => 'set search_path to other, public',
  () => 'select moves()',
  () => 'reset search_path',
  () => "do $$ begin execute 'set search_path to other'; end $$",
  (n) => `call bumps(${n})`,
  () => 'set standard_conforming_strings to off',
  () => 'set standard_conforming_strings to on',
  () => String.raw`select '\'; delete from plain; --', id from acct where s <> '\\' order by id`,
  () => "select 'é', n from acct where s = 'ü'",
  () => "set client_encoding to 'LATIN1'",
  () => "set client_encoding to 'UTF8'",
  () => 'prepare p as select * from acct where id = $1',
  (n) => `execute p(${n})`,
  () => 'deallocate all',
  () => 'begin',
  () => 'begin isolation level repeatable read',
  () => 'commit',
  () => 'rollback',
  () => 'savepoint a',
  () => 'rollback to a',
  (n) => `values (${n})`,
  () => 'select 1/0',
  () => 'selec 1',
  () => '',
  () => '-- a comment\n',
  () => 'explain (costs off) select * from acct where id = 1',
  () => 'copy acct (id) to stdout',
];

const { recorded } = new RecordedServer();

test.each([true, false])('random strings of statements, log: %s', async (log) => {
  const strings = randomStrings(numbersFrom(log ? 1 : 2));
  await recorded(
    SCHEMA,
    async ({ through, past }) => {
      const [direct, proxied] = [await past(), await through()];
      await direct.query('create table first as select 1');
      const template = new URL(urlOf(direct));
      await expectSame(strings, template.href, urlOf(proxied), async () => {
        await direct.query(RESET);
      });
    },
    { log },
  );
});

const RESET = `
${['', 'other.'].map((schema) => `drop table if exists ${[0, 1, 2, 3, 4, 5].map((n) => `${schema}made${n}`).join()};`).join('')}
truncate acct, plain, part, child;
insert into acct select i, i, 'n' || i from generate_series(1, 5) i`;

const urlOf = (client: Awaited<ReturnType<typeof connected>>): string => {
  const { user, password, host, port, database } = client;
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
};

function randomStrings({ below }: { below(limit: number): number }): string[][] {
  return Array.from({ length: STRINGS }, () =>
    Array.from({ length: 1 + below(3) }, () =>
      Array.from({ length: 1 + below(6) }, () => FORMS[below(FORMS.length)]!(below(6))).join(
        [';', '; ', ';\n', ' ;;'][below(4)]!,
      ),
    ),
  );
}

/** Each list of strings is sent on a new connection, since settings last as long as a connection. */
async function expectSame(
  sessions: readonly (readonly string[])[],
  direct: string,
  proxied: string,
  reset: () => Promise<void>,
): Promise<void> {
  for (const strings of sessions) {
    const answers: string[][] = [];
    for (const url of [direct, proxied]) {
      await reset();
      const client = await RawClient.connect(url);
      const told: string[] = [];
      for (const sql of strings) told.push(...shown(await client.ask(front.query(sql))));
      client.close();
      answers.push(told);
    }
    expect([strings, answers[1]]).toEqual([strings, answers[0]]);
  }
}

/** Messages without the numbers of tables and types, which differ from connection to connection. */
const shown = (bytes: Buffer): string[] =>
  messagesIn(bytes).map(([type, message]) => {
    if (type !== 'T') return `${type}${message.toString('latin1', 5)}`;
    const copy = Buffer.from(message);
    for (let at = 7; at < copy.length;) {
      at = copy.indexOf(0, at) + 1;
      copy.writeUInt32BE(0, at);
      at += 18;
    }
    return `T${copy.toString('latin1', 5)}`;
  });
