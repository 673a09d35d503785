/** Locks, savepoints, snapshots of other transactions and prepared transactions are part of the model. */
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { dangersOf } from '../../src/judgement/dangers.ts';
import { judge } from '../../src/judgement/judge.ts';
import { programsIn } from '../../src/judgement/programs.ts';
import { numbersFrom } from '../wire/random.ts';
import { ACCOUNTS, type Made, RecordedServer } from './recorded.ts';

/** ISOLAB_SEED and ISOLAB_COUNT ask for others, and for more. */
const FIRST = Number(process.env['ISOLAB_SEED'] ?? 1);
const COUNT = Number(process.env['ISOLAB_COUNT'] ?? (process.env['ISOLAB_LONG'] === undefined ? 2 : 8));
const SEEDS = Array.from({ length: COUNT }, (_, i) => FIRST + i);

const { recorded } = new RecordedServer();

async function kept({ path }: Made): Promise<void> {
  const { promises } = await judge(path);
  for (const promise of promises) expect(promise).not.toMatchObject({ verdict: 'violated' });
}

const dangersIn = async ({ path, summary }: Made): Promise<string[]> =>
  dangersOf((await programsIn(path)).programs, summary.unique).map(({ name }) => name);

type Query = pg.Client['query'];

describe.each([true, false])('with the log: %s', (log) => {
  test.each<[string, readonly string[], (sells: () => Promise<void>, query: Query, other: Query) => Promise<void>]>([
    ['without a lock', ['lost-update'], (sells) => sells()],
    ['the lock of the transaction', [], (sells, query) => query('select pg_advisory_xact_lock(42)').then(sells)],
    ['a parameter', [], (sells, query) => query('select pg_advisory_xact_lock($1)', [42]).then(sells)],
    ['an attempt', [], (sells, query) => query('select pg_try_advisory_xact_lock(42)').then(sells)],
    ['a computed key', [], (sells, query) => query("select pg_advisory_xact_lock(hashtext('a'))").then(sells)],
    ['a shared lock', ['lost-update'], (sells, query) => query('select pg_advisory_xact_lock_shared(42)').then(sells)],
    [
      'a lock that is returned too early',
      ['lost-update'],
      async (sells, query) => {
        await query('select pg_advisory_lock(42)');
        await query('select pg_advisory_unlock(42)');
        await sells();
      },
    ],
    [
      'a lock that a savepoint gives back',
      ['lost-update'],
      async (sells, query) => {
        await query('savepoint a; select pg_advisory_xact_lock(42); rollback to a');
        await sells();
      },
    ],
    [
      'an attempt that fails',
      ['lost-update'],
      async (sells, query, other) => {
        await other('select pg_advisory_lock(42)');
        await query('select pg_try_advisory_xact_lock($1)', [42]);
        await sells();
        await other('select pg_advisory_unlock(42)');
      },
    ],
    ['a table', [], (sells, query) => query('lock table accounts in exclusive mode').then(sells)],
  ])('an advisory lock separates lost updates: %s', async (_, dangers, locks) => {
    const made = await recorded(
      ACCOUNTS,
      async ({ through }) => {
        const [client, other] = [await through(), await through()];
        await client.query('begin');
        await locks(
          async () => {
            const { rows } = await client.query<{ amount: number }>('select amount from accounts where id = 1');
            await client.query('update accounts set amount = $1 where id = 1', [rows[0]!.amount + 1]);
          },
          client.query.bind(client) as Query,
          other.query.bind(other) as Query,
        );
        await client.query('commit');
      },
      { log },
    );
    expect(await dangersIn(made)).toEqual(dangers);
  });

  test('a lock of the session separates its transactions up to its return', async () => {
    const made = await recorded(
      ACCOUNTS,
      async ({ through }) => {
        const client = await through();
        const buys = async (id: number): Promise<void> => {
          await client.query('begin');
          await client.query('select amount from accounts where id = $1', [id]);
          await client.query('update accounts set amount = 5 where id = $1', [id]);
          await client.query('commit');
        };
        await client.query('select pg_advisory_lock(7)');
        await buys(1);
        await client.query('select pg_advisory_unlock(7)');
      },
      { log },
    );
    expect(await dangersIn(made)).toEqual([]);
    expect(made.transactions).toHaveLength(1);
  });

  test('a prepared transaction ends when another session ends it', async () => {
    const made = await recorded(
      ACCOUNTS,
      async ({ through }) => {
        const [a, b] = [await through(), await through()];
        for (const [id, end] of [
          [1, 'commit'],
          [2, 'rollback'],
        ]) {
          await a.query('begin isolation level repeatable read');
          await a.query(`update accounts set amount = 50 where id = ${id}`);
          await a.query(`prepare transaction 'p${id}'`);
          await a.query('begin isolation level repeatable read');
          await a.query('select * from accounts');
          await a.query('commit');
          await b.query(`${end} prepared 'p${id}'`);
          await b.query('select * from accounts');
        }
      },
      { log },
    );
    await kept(made);
    const outcomes = made.lines.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
    expect(outcomes.filter((outcome) => outcome === 'aborted')).toHaveLength(1);
    expect(made.problems).toEqual([]);
  });

  test.each(SEEDS)('random locks, savepoints, snapshots and prepared transactions, seed %i', async (seed) => {
    const made = await recorded(
      SCHEMA,
      async ({ through }) => {
        const shared = { snapshots: [] as string[], prepared: [] as string[] };
        await Promise.all(
          Array.from({ length: 5 }, async (_, i) => run(await through(), numbersFrom(100 * seed + i), shared)),
        );
        const last = await through();
        for (const name of shared.prepared) await last.query(`commit prepared '${name}'`).catch(() => {});
      },
      { log },
    );
    expect(made.problems).toEqual([]);
    await kept(made);
  });
});

const SCHEMA = `
create table items (id int primary key, n int);
create table queue (id int primary key, n int);
insert into items select i, i from generate_series(1, 6) i;
insert into queue select i, 0 from generate_series(1, 20) i`;

interface Shared {
  readonly snapshots: string[];
  readonly prepared: string[];
}

let names = 0;

/** Runs transactions as one client; those that the database refuses are given up. */
async function run(client: pg.Client, { below }: ReturnType<typeof numbersFrom>, shared: Shared): Promise<void> {
  const one = <T>(all: readonly T[]): T => all[below(all.length)]!;
  const item = (): number => 1 + below(6);
  const lock = (): string =>
    `for ${one(['update', 'share', 'no key update', 'key share'])} ${one(['', '', 'skip locked', 'nowait'])}`;
  const statements: readonly (() => string)[] = [
    () => `select * from items where id = ${item()} ${lock()}`,
    () => `select * from queue where n = 0 order by id limit 1 ${lock()}`,
    () => `select * from items where n > ${below(20)} ${lock()}`,
    () => `select * from items where id = ${item()}`,
    () => 'select * from items',
    () => `update items set n = n + 1 where id = ${item()}`,
    () => `update queue set n = ${below(9)} where id = ${1 + below(20)}`,
    () => `delete from queue where id = ${1 + below(20)}`,
    () => `insert into queue values (${100 + ++names}, 0)`,
    () =>
      `select ${one(['pg_advisory_xact_lock', 'pg_try_advisory_xact_lock', 'pg_advisory_xact_lock_shared'])}(${below(3)})`,
    () => 'savepoint a',
    () => one(['rollback to a', 'release a']),
  ];
  // A prepared transaction keeps its locks while no client is free to end it.
  await client.query('set lock_timeout = 200');
  for (let i = 0; i < 20; i++)
    try {
      const level = one(['read committed', 'repeatable read', 'serializable']);
      await client.query(`begin isolation level ${level}`);
      if (level === 'repeatable read' && shared.snapshots.length > 0 && below(2) === 0)
        await client.query(`set transaction snapshot '${one(shared.snapshots)}'`);
      for (let left = 1 + below(5); left > 0; left--) await client.query(one(statements)());
      if (level === 'repeatable read' && below(4) === 0) {
        const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
        shared.snapshots.push(rows[0]!.id);
        await new Promise((resolve) => setTimeout(resolve, below(60)));
      }
      if (below(5) === 0) {
        const name = `p${++names}`;
        await client.query(`prepare transaction '${name}'`);
        shared.prepared.push(name);
      } else await client.query(below(8) === 0 ? 'rollback' : 'commit');
      if (shared.prepared.length > 0 && below(2) === 0)
        await client.query(`${one(['commit', 'commit', 'rollback'])} prepared '${shared.prepared.shift()}'`);
    } catch (error) {
      if ((error as { code?: string }).code === undefined) throw error;
      await client.query('rollback');
    }
}
