/**
 * Sessions that create, alter and drop tables beside each other: names come again with other columns, in another order
 * and with another key. PostgreSQL is not blamed for any of it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { judge } from '../../src/judgement/judge.ts';
import { numbersFrom } from '../wire/random.ts';
import { RecordedServer } from './recorded.ts';
import type { Numbers } from './workload.ts';

/** ISOLAB_SEED and ISOLAB_COUNT ask for others, and for more. */
const FIRST = Number(process.env['ISOLAB_SEED'] ?? 1);
const COUNT = Number(process.env['ISOLAB_COUNT'] ?? 2);
const SEEDS = Array.from({ length: COUNT }, (_, i) => FIRST + i);

const SESSIONS = 6;
const ROUNDS = 12;

const { recorded } = new RecordedServer();

test.each(SEEDS.flatMap((seed) => [true, false].map((log) => [seed, log] as const)))(
  'tables that several sessions define again and again, seed %i, with the log: %s',
  async (seed, log) => {
    const { path } = await recorded(
      'select',
      async ({ through, past }) => {
        const client = (i: number): Promise<pg.Client> => (i === SESSIONS ? past() : through());
        await Promise.all(
          Array.from({ length: SESSIONS + 1 }, async (_, i) =>
            rounds(await client(i), i, seed % 3 === 0 ? ANY : WITH_ID, numbersFrom(100 * seed + i)),
          ),
        );
      },
      { log },
    );
    const { promises } = await judge(path);
    for (const { level, verdict, anomalies } of promises) {
      expect([level, anomalies]).toEqual([level, []]);
      expect(['satisfied', 'unknown']).toContain(verdict);
    }
  },
  60_000,
);

/** Definitions with the same key, in several orders; and with other keys, which make the recorder give up the table. */
const WITH_ID = [
  'id int primary key, f1 int not null default 1, f2 int not null default 2',
  'f1 int not null default 1, id int primary key, f2 int not null default 2',
  'id serial primary key, f2 int not null default 2, f1 int not null default 1, f3 text',
];
const ANY = [
  ...WITH_ID,
  'f2 int default 2, f1 int primary key, id int default 1',
  'id int, f1 int default 1, f2 int default 2',
  'id bigint, f1 int default 1, f2 int default 2, primary key (id, f1)',
];

/** Each session has a table of its own and, with others, a common one. */
async function rounds(client: pg.Client, session: number, columns: readonly string[], numbers: Numbers): Promise<void> {
  const { below } = numbers;
  const trial = (text: string, values?: readonly unknown[]): Promise<unknown> =>
    client.query(text, values as unknown[]).catch(() => {});
  for (let round = 0; round < ROUNDS; round++) {
    const table = below(4) === 0 ? 'common' : `made${below(3) === 0 ? below(SESSIONS) : session}`;
    const isExplicit = below(3) === 0;
    // The log is read meanwhile.
    if (below(4) === 0) await pause(below(400));
    if (isExplicit) await trial('begin');
    if (below(3) > 0)
      await trial(
        below(2) === 0
          ? `drop table if exists ${table}; create table ${table} (${columns[below(columns.length)]})`
          : `create table if not exists ${table} (${columns[below(columns.length)]})`,
      );
    for (let step = 0; step < 5; step++) await trial(...statementOn(table, numbers));
    if (isExplicit) await trial(below(4) === 0 ? 'rollback' : 'commit');
  }
}

function statementOn(table: string, { below }: Numbers): [text: string, values?: readonly unknown[]] {
  const id = 1 + below(2);
  switch (below(11)) {
    case 0:
      return [`alter table ${table} drop column f2`];
    case 1:
      return [`alter table ${table} add column f${4 + below(3)} int default 7`];
    case 2:
      return [`insert into ${table} (f1, f2, id) values (1, 2, $1)`, [id]];
    case 3:
      return [`insert into ${table} (id, f1) values (${id}, ${1 + below(3)})`];
    case 4:
      return [`update ${table} set f1 = f1 + 1 where id = $1`, [id]];
    case 5:
      return [`delete from ${table} where id = ${id}`];
    case 6:
      return [`drop table ${table}`];
    case 7:
      return [`insert into ${table} (id) values (${id}) on conflict do nothing`];
    case 8:
      return [`select * from ${table} where f1 > 0`];
    default:
      return [`select * from ${table} where id = $1`, [id]];
  }
}
