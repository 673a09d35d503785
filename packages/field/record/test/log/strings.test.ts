/** Query strings and runs of several statements get the bytes of a direct connection, with the log and without it. */
import { expect, test } from 'vitest';
import { all, front } from '../wire/messages.ts';
import { numbersFrom } from '../wire/random.ts';
import { RawClient, messagesIn } from '../wire/raw-client.ts';
import { RecordedServer, type connected } from './recorded.ts';

/** ISOLAB_SEED and ISOLAB_COUNT ask for others, and for more. */
const FIRST = Number(process.env['ISOLAB_SEED'] ?? 1);
const SESSIONS = Number(process.env['ISOLAB_COUNT'] ?? (process.env['ISOLAB_LONG'] === undefined ? 60 : 120));

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
  () => 'explain (costs off) values (1)',
  () => 'copy acct (id) to stdout',
];

const { recorded } = new RecordedServer();

test.each([true, false])('random strings and runs of statements, log: %s', async (log) => {
  const steps = randomSteps(numbersFrom(FIRST + Number(log)));
  await recorded(
    SCHEMA,
    async ({ through, past }) => {
      const [direct, proxied] = [await past(), await through()];
      await direct.query('create table first as select 1');
      const template = new URL(urlOf(direct));
      await expectSame(steps, template.href, urlOf(proxied), async () => {
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

/** Messages up to a ReadyForQuery, and their description. */
interface Step {
  readonly bytes: Buffer;
  readonly shown: string;
}

type Numbers = ReturnType<typeof numbersFrom>;

const randomSteps = ({ below }: Numbers): Step[][] =>
  Array.from({ length: SESSIONS }, () =>
    Array.from({ length: 1 + below(4) }, () => {
      const some = (most: number): string[] =>
        Array.from({ length: 1 + below(most) }, () => FORMS[below(FORMS.length)]!(below(6)));
      if (below(2) === 0) {
        const text = some(6).join([';', '; ', ';\n', ' ;;'][below(4)]!);
        return { bytes: front.query(text), shown: text };
      }
      return run(some(4), { below });
    }),
  );

/** A run of the extended protocol: some statements are only prepared, or executed from an earlier run. */
function run(texts: readonly string[], { below }: Numbers): Step {
  const messages = texts.flatMap((text) => {
    const limit = below(4) === 0 ? 1 : 0;
    const parts = below(6);
    return [
      ...(parts === 0 ? [] : [front.parse(text), ...(below(2) === 0 ? [front.describeStatement()] : [])]),
      ...(parts === 1 ? [] : [front.bind({ formats: [[], [0], [1]][below(3)]! }), front.describePortal()]),
      ...(parts === 1 ? [] : [front.execute('', limit)]),
    ];
  });
  return { bytes: all(...messages, front.sync()), shown: `run: ${texts.join(' | ')}` };
}

/** Each list of steps is sent on a new connection, since settings last as long as a connection. */
async function expectSame(
  sessions: readonly (readonly Step[])[],
  direct: string,
  proxied: string,
  reset: () => Promise<void>,
): Promise<void> {
  for (const steps of sessions) {
    const answers: string[][] = [];
    for (const url of [direct, proxied]) {
      await reset();
      const client = await RawClient.connect(url);
      const told: string[] = [];
      for (const { bytes } of steps) told.push(...shown(await client.ask(bytes)));
      client.close();
      answers.push(told);
    }
    const texts = steps.map(({ shown: text }) => text);
    expect([texts, answers[1]]).toEqual([texts, answers[0]]);
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
