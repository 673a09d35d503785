import type mysql from 'mysql2/promise';
import { connect } from './server.ts';

export interface Workload {
  readonly level: string;
  readonly hasSnapshots: boolean;
  readonly clients: number;
  readonly transactions: number;
  /** Whether clients lose their connections at random. */
  readonly kills: boolean;
  readonly seed: number;
}

const KEYS = 6;

/** Makes the tables of the workload. */
export async function makeTables(setup: mysql.Connection): Promise<void> {
  await setup.query('create or replace table a (id int primary key, v int not null, w varchar(10))');
  await setup.query('create or replace table b (id bigint primary key auto_increment, k int, v int, unique (k))');
  for (let id = 1; id <= KEYS; id++) {
    await setup.query('insert into a values (?, 0, ?)', [id, 'x']);
    if (id % 2 === 1) await setup.query('insert into b (k, v) values (?, 0)', [id]);
  }
}

/** Runs random transactions at once, with the text protocol and the binary one; values repeat often. */
export async function workload(url: string, options: Workload): Promise<void> {
  const { clients, transactions, seed } = options;
  let state = seed;
  const random = (below: number): number => (state = (state * 48_271) % 0x7f_ff_ff_ff) % below;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let left = transactions; left > 0;) left = await client(url, options, left, random);
    }),
  );
}

type Random = (below: number) => number;

/** Runs transactions on one connection. Returns the number of transactions that are left when it is lost. */
async function client(url: string, options: Workload, count: number, random: Random): Promise<number> {
  const connection = await connect(url, { multipleStatements: true });
  connection.on('error', () => {});
  await connection.query(`set session transaction isolation level ${options.level}`);
  await connection.query('set innodb_lock_wait_timeout = 1');
  if (options.hasSnapshots) await connection.query('set innodb_snapshot_isolation = ON');
  for (let left = count; left > 0; left--)
    try {
      await transaction(connection, random, options.kills);
    } catch (error) {
      const { errno, fatal } = error as { readonly errno?: number; readonly fatal?: boolean };
      if (fatal === true || errno === undefined) return left - 1;
      await connection.query('rollback').catch(() => {});
    }
  await connection.end();
  return 0;
}

async function transaction(connection: mysql.Connection, random: Random, kills: boolean): Promise<void> {
  const isAutomatic = random(6) === 0;
  if (!isAutomatic) await connection.query(random(8) === 0 ? 'start transaction with consistent snapshot' : 'begin');
  for (let statements = isAutomatic ? 1 : 1 + random(5); statements > 0; statements--) {
    const [sql, values] = statement(random, kills);
    if (sql.includes(';') || random(2) === 0) await connection.query(sql, values);
    else await connection.execute(sql, values);
    if (random(3) === 0) await new Promise((resolve) => setTimeout(resolve, random(4)));
  }
  if (isAutomatic) return;
  const end = connection.query(random(8) === 0 ? 'rollback' : 'commit');
  if (kills && random(5) === 0)
    setTimeout(() => (connection as unknown as { connection: mysql.Connection }).connection.destroy(), random(2));
  await within(end);
}

/** Waits for an answer, which a destroyed connection never gets. */
const within = (answer: Promise<unknown>): Promise<unknown> => {
  let timer: NodeJS.Timeout;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('lost')), 3_000)));
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
};

let replaced = 0;

function statement(random: Random, kills: boolean): readonly [sql: string, values: (string | number)[]] {
  const [id, other, v] = [1 + random(KEYS), 1 + random(KEYS), random(5)];
  const choices: (readonly [string, (string | number)[]])[] = [
    ['select v from a where id = ?', [id]],
    ['select * from a where id = ?', [id]],
    ['select id, v from a where v > ? order by id', [v]],
    ['select id, v, w from a', []],
    ['select v from a where id = ? for update', [id]],
    ['select id, v from a where id in (?, ?) lock in share mode', [id, other]],
    ['update a set v = ? where id = ?', [v, id]],
    ['update a set v = v + 1 where id = ?', [id]],
    ['update a set v = v + 1 where v < ?', [v]],
    ['insert into b (k, v) values (?, ?) on duplicate key update v = v + 1', [id, v]],
    ['delete from b where k = ?', [id]],
    ['select * from b where k = ?', [id]],
    ['select a.id, a.v, b.id as b, b.v as w from a left join b on b.k = a.id where a.id = ?', [id]],
    [`delete from a where id = ${id}; insert into a values (${id}, ${v}, 'y')`, []],
    // A REPLACE that leaves its row as it is makes the owners of log entries uncertain.
    ['replace into a values (?, ?, ?)', [id, v, kills ? 'z' : String(++replaced)]],
    [`select v from a where id = ${id}; update a set w = 'm' where id = ${id}; select w from a where id = ${id}`, []],
  ];
  return choices[random(choices.length)]!;
}
