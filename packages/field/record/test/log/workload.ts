/** Random transactions over tables with triggers, cascades, functions and large values. */
import { createHash } from 'node:crypto';
import type pg from 'pg';

export interface Numbers {
  below(limit: number): number;
}

export const SCHEMA = `
create table items(id int primary key, n int, s text);
create table lines(id int primary key, item int references items on delete cascade on update cascade, n int);
create table totals(id int primary key, n int);
create table notes(id int primary key generated always as identity, what text, n int);
alter table items alter s set storage external;
insert into items select i, i * 10, repeat('x', 10) from generate_series(1, 6) i;
insert into lines select i, 1 + i % 6, i from generate_series(1, 8) i;
insert into totals values (0, 0), (1, 0);

create function note() returns trigger language plpgsql as $$ begin
  if tg_op = 'DELETE' then insert into notes(what, n) values (tg_op, old.id); return null; end if;
  if new.n % 3 = 0 then insert into notes(what, n) values (tg_op, new.id); end if;
  if new.n > 90 then update items set n = 9 where id = new.id; end if;
  return null; end $$;
create trigger noted after insert or update or delete on items for each row execute function note();

create function total() returns trigger language plpgsql as $$ begin
  new.n := new.n % 50;
  begin
    update totals set n = n + 1 where id = new.n % 2;
    if new.n % 7 = 0 then raise 'no'; end if;
  exception when raise_exception then null; end;
  return new; end $$;
create trigger totalled before insert or update on lines for each row execute function total();

create function bump(who int, what int) returns int language plpgsql as $$ begin
  update items set n = n + what where id = who;
  begin
    update items set s = repeat('y', 3000) where id = who + 1;
    if what % 5 = 0 then raise 'no'; end if;
  exception when raise_exception then null; end;
  return what; end $$;
create procedure twice(who int) language plpgsql as $$ begin
  update totals set n = n + 1 where id = who; commit; update totals set n = n + 1 where id = who + 1; end $$;
create function removed(who int) returns setof int language sql as $$ delete from lines where id = who returning n $$;
`;

export type Level = 'read committed' | 'repeatable read' | 'serializable';

/** A statement with its parameters; without them it is a simple query. */
type Ask = (sql: string, parameters?: readonly unknown[]) => Promise<unknown>;

type Make = (ask: Ask, numbers: Numbers, fresh: () => number) => Promise<unknown>;

const item = ({ below }: Numbers): number => 1 + below(7);
const line = ({ below }: Numbers): number => 1 + below(9);

const READS: readonly Make[] = [
  (ask, r) => ask('select * from items where id = $1', [item(r)]),
  (ask, r) => ask(`select id, n from items where id = ${item(r)}`),
  (ask, r) => ask(`select * from items where n > ${r.below(60)} order by id`),
  (ask) => ask('select * from items'),
  (ask, r) => ask('select i.n, l.n from items i join lines l on l.item = i.id where i.id = $1', [item(r)]),
  (ask, r) => ask('select * from lines where item = $1 and n < 30', [item(r)]),
  (ask) => ask('select * from totals where n > 2'),
  (ask, r) => ask(`select * from notes where n = ${item(r)}`),
  (ask) => ask('select count(*) from lines'),
  (ask, r) => ask('select * from items where id = $1 for update', [item(r)]),
];

const WRITES: readonly Make[] = [
  (ask, r) => ask('update items set n = n + $1 where id = $2', [r.below(20), item(r)]),
  (ask, r) => ask(`update items set n = ${r.below(60)} where id = ${item(r)}`),
  (ask, r) => ask(`update items set s = repeat('z', ${r.below(4000)}) where id = ${item(r)} returning n`),
  (ask, r) => ask(`update items set n = n - 1 where n > ${40 + r.below(40)}`),
  (ask, r) => ask('update lines set n = $1 where id = $2', [r.below(100), line(r)]),
  (ask, r) => ask(`update lines set item = ${item(r)} where id = ${line(r)}`),
  (ask, r, fresh) => ask('insert into items values ($1, $2, $3)', [fresh(), r.below(60), 'new']),
  (ask, r, fresh) => ask(`insert into lines values (${fresh()}, ${item(r)}, ${r.below(100)})`),
  (ask, r) => ask('insert into totals values ($1, 1) on conflict (id) do update set n = totals.n + 1', [r.below(4)]),
  (ask, r) => ask('delete from lines where id = $1', [line(r)]),
  (ask, r) => ask(`delete from items where id = ${item(r)}`),
  (ask, r, fresh) => ask(`update items set id = ${fresh()} where id = ${item(r)}`),
  (ask, r) => ask('select bump($1, $2)', [item(r), r.below(20)]),
  (ask, r) => ask(`select id, bump(id, ${r.below(20)}) from items where n > 50`),
  (ask, r) => ask(`select * from removed(${line(r)})`),
  (ask, r) => ask(`with gone as (delete from lines where id = ${line(r)} returning n) select * from gone`),
  (ask, r, fresh) => ask(`copy lines from program 'printf "${fresh()}\\t${item(r)}\\t${r.below(90)}\\n"'`),
  (ask, r) =>
    ask(`merge into totals t using (values (${r.below(4)})) v(id) on t.id = v.id
      when matched then update set n = t.n + 1 when not matched then insert values (v.id, 1)`),
  (ask, r) => ask(`update items set n = n + 1 where id = ${item(r)}; select * from items where id = ${item(r)}`),
  (ask, r) =>
    ask(`select bump(${item(r)}, 1); select * from totals where n > 2; select * from notes where n = ${item(r)}`),
  (ask, r) => ask(`call twice(${r.below(3)})`),
  (ask, r) => ask(`do $$ begin update totals set n = n + 2 where id = ${r.below(3)}; end $$`),
];

/** Statements that change tables themselves. */
const DEFINITIONS: readonly Make[] = [
  (ask) => ask('truncate notes'),
  (ask, r) => ask(`alter table totals add column if not exists c${r.below(9)} int default 1`),
  (ask) => ask('create table if not exists extra(id int primary key, n int)'),
  (ask, r) => ask(`insert into extra values (${r.below(5)}, 1) on conflict (id) do update set n = extra.n + 1`),
  (ask) => ask('select * from extra where n > 1'),
  (ask) => ask('drop table if exists extra'),
];

export interface Client {
  readonly numbers: Numbers;
  readonly transactions: number;
  readonly level: Level;
  readonly fresh: () => number;
  readonly defines: boolean;
}

/** Runs transactions as one client; those that the database refuses are given up. */
export async function run(client: pg.Client, { numbers, transactions, level, fresh, defines }: Client): Promise<void> {
  const { below } = numbers;
  const ask: Ask = async (sql, parameters) => {
    const values = parameters as unknown[];
    await (values && below(2) === 0
      ? client.query({ name: createHash('md5').update(sql).digest('hex'), text: sql, values })
      : client.query(sql, values));
    if (below(3) === 0) await new Promise((resolve) => setTimeout(resolve, below(4)));
  };
  const makeOne = (): Promise<unknown> => {
    const makes = defines && below(12) === 0 ? DEFINITIONS : below(2) === 0 ? READS : WRITES;
    return makes[below(makes.length)]!(ask, numbers, fresh);
  };
  for (let i = 0; i < transactions; i++)
    try {
      if (below(5) === 0) {
        await makeOne();
        continue;
      }
      await ask(`begin isolation level ${level}`);
      for (let left = 1 + below(5); left > 0; left--) {
        if (below(6) > 0) await makeOne();
        else await makeWithSavepoint(ask, makeOne, below);
      }
      await ask(below(10) === 0 ? 'rollback' : 'commit');
    } catch (error) {
      if (!EXPECTED.has((error as { code?: string }).code ?? '')) throw error;
      await client.query('rollback');
    }
}

async function makeWithSavepoint(ask: Ask, makeOne: () => Promise<unknown>, below: Numbers['below']): Promise<void> {
  await ask('savepoint s');
  try {
    await makeOne();
    await ask(below(2) === 0 ? 'rollback to s' : 'release s');
  } catch (error) {
    // An error that fails the whole transaction is thrown on.
    if ((error as { code?: string }).code !== '23503' && (error as { code?: string }).code !== '23505') throw error;
    await ask('rollback to s');
  }
}

/** Errors of random statements. */
const EXPECTED: ReadonlySet<string> = new Set([
  '40001', // not serializable
  '40P01', // deadlock
  '23505', // a duplicate key
  '23503', // a missing foreign key
  '25P02', // a failed transaction
  '27000', // a row that the statement's own trigger changed
  '21000', // a row that one command changes twice
  '2D000', // COMMIT in a procedure in a transaction
  '42P01', // a missing table
  '42P07', // a table that is there already
  '42710', // its type is there already: another one creates the table
  '0A000', // a plan that is out of date
  'XX000', // a table that was altered in the meantime
]);
