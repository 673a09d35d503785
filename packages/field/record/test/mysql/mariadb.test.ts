import type { RunningEngine } from '@isolab/engines';
import { unless } from '@isolab/needs';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { originOf } from '../../src/sql/origin.ts';
import type mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge, possibleIn, reportPage, startRecord } from '../../src/index.ts';
import { serverBytes } from './tap.ts';
import { connect, gate, startMariadb, through } from './server.ts';
import { makeTables, workload } from './workload.ts';

const CALLS = `const mysql = require('mysql2/promise');
async function main() {
  const pool = mysql.createPool({ uri: process.env.DATABASE_URL });
  const told = [];
  await pool.query('create or replace table calls (id int primary key, n int)');
  await pool.execute('insert into calls values (?, 10)', [1]);
  told.push(await pool.execute('select n from calls where id = ?', [1]));
  told.push(await pool.query({ sql: 'select id from calls where id = ?', values: [1], rowsAsArray: true }));
  console.log(JSON.stringify(told.map(([rows]) => rows)));
  await pool.end();
}
main();
`;

describe('MariaDB', unless('mariadb'), () => {
  let engine: RunningEngine;
  let address: string;
  let direct: mysql.Connection;
  const folder = mkdtempSync(join(tmpdir(), 'isolab-record-'));

  beforeAll(async () => {
    engine = await startMariadb();
    [address] = engine.addresses as [string];
    direct = await connect(address, { multipleStatements: true });
  }, 60_000);

  afterAll(async () => {
    await direct?.end();
    await engine?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Records the work of clients, without problems unless they are expected. */
  async function recorded(work: (url: string) => Promise<void>, options: { redact?: boolean; mostRows?: number } = {}) {
    const path = join(folder, 'recorded.jsonl');
    const problems: string[] = [];
    const onProblem = (problem: string): void => void problems.push(problem);
    const running = await startRecord({ upstream: address, path, onProblem, ...options });
    await work(through(address, running.port));
    const summary = await running.finish();
    return { summary, problems, judged: await judge(path), text: readFileSync(path, 'utf8') };
  }

  const lines = (text: string): Record<string, unknown>[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test('the server sends the same bytes through the proxy as without it', async () => {
    // A cached thread continues the numbers of prepared statements of an earlier connection.
    const admin = await connect(address);
    await admin.query('set global thread_cache_size = 0');
    await admin.end();
    const expected = await serverBytes(address);
    let seen: readonly Buffer[] = [];
    const { problems } = await recorded(async (url) => void (seen = await serverBytes(url)));
    // In hexadecimal, because a report with control characters is not a text.
    expect(seen.map((bytes) => bytes.toString('hex'))).toEqual(expected.map((bytes) => bytes.toString('hex')));
    expect(problems.every((problem) => problem.includes('a statement with unknown effects'))).toBe(true);
  });

  async function sell(
    client: mysql.Connection,
    isPrepared: boolean,
    both: () => Promise<void>,
    lock = '',
  ): Promise<void> {
    const run = (sql: string, values: (string | number)[]) =>
      isPrepared ? client.execute(sql, values) : client.query(sql, values);
    await client.query('start transaction');
    const [rows] = await run(`select stock from items where id = ?${lock}`, [1]);
    await both();
    await run('update items set stock = ? where id = ?', [(rows as { stock: number }[])[0]!.stock - 1, 1]);
    await client.query('commit');
  }

  async function day(url: string, lock = ''): Promise<void> {
    const [ann, ben] = [await connect(url), await connect(url)];
    await ann.query('drop table if exists items');
    await ann.query('create table items (id int primary key, stock int not null)');
    await ann.query('insert into items values (1, 100)');
    for (const isPrepared of [false, true]) {
      const both = lock === '' ? gate(2) : async (): Promise<void> => {};
      await Promise.all([ann, ben].map((client) => sell(client, isPrepared, both, lock)));
    }
    await Promise.all([ann.end(), ben.end()]);
  }

  test('two lost updates are found with their two statements, although both write the same value', async () => {
    const { summary, judged, problems } = await recorded(day);
    expect(problems).toEqual([]);
    expect(judged.database).toBe('MariaDB');
    expect(judged.promises).toMatchObject([{ level: 'repeatable read', verdict: 'satisfied' }]);
    expect(judged.troubles).toMatchObject([{ title: 'Lost update', count: 2, preventedBy: 'serializable' }]);
    const [{ example, advice }] = judged.troubles as [(typeof judged.troubles)[number]];
    const statements = ['select stock from items where id = ?', 'update items set stock = ? where id = ?'];
    expect(example.map((party) => party.statements)).toEqual([statements, statements]);
    expect(advice.join('\n')).toContain('error 1213');
    expect(await reportPage(summary, judged, await possibleIn(summary, judged.troubles))).toContain(
      'MariaDB kept its promise',
    );
    const [rows] = await direct.query('select stock from items');
    expect(rows).toEqual([{ stock: 98 }]);
  });

  test('with locks, no update is lost', async () => {
    const { judged } = await recorded((url) => day(url, ' for update'));
    expect(judged).toMatchObject({ verdict: 'satisfied', troubles: [], isComplete: true });
    const [rows] = await direct.query('select stock from items');
    expect(rows).toEqual([{ stock: 96 }]);
  });

  test.each([
    ['select 1', 'select 2', ['lost-update']],
    ["select get_lock('items', 5)", "do release_lock('items')", []],
    ['select get_lock(?, 5) as taken', 'select release_all_locks()', []],
    ["select get_lock('items', 0), 1", "select release_lock('items')", ['lost-update']],
    ["select release_lock('items')", "select get_lock('items', 5)", ['lost-update']],
  ])('%s … %s separates transactions, or leaves a possible anomaly', async (before, after, dangers) => {
    const { summary, judged } = await recorded(async (url) => {
      const client = await connect(url);
      await client.query('create or replace table items (id int primary key, stock int not null)');
      await client.query('insert into items values (1, 100)');
      await client.query('set session transaction isolation level read committed');
      await client.execute(before, before.includes('?') ? ['items'] : []);
      await sell(client, true, async () => {});
      await client.query(after);
      await client.end();
    });
    const { dangers: found } = await possibleIn(summary, judged.troubles);
    expect(found.map(({ name }) => name)).toEqual(dangers);
  });

  test('statements of mysql2 have the file and the line of their callers', async () => {
    const program = join(folder, 'app.cjs');
    writeFileSync(program, CALLS);
    const outputs: string[] = [];
    const calls = async (url: string, options: string): Promise<void> => {
      const env = { ...process.env, DATABASE_URL: url.replace('mariadb:', 'mysql:'), NODE_OPTIONS: options };
      const { stdout } = await promisify(execFile)('node', ['app.cjs'], { cwd: folder, env, timeout: 20_000 });
      outputs.push(stdout);
    };
    symlinkSync(resolve(import.meta.dirname, '../../../../../node_modules'), join(folder, 'node_modules'));
    await calls(address, '');
    const { summary } = await recorded((url) => calls(url, `--require="${resolve('callers/node.cjs')}"`));
    expect(outputs[1]).toBe(outputs[0]);
    const places = summary.shapes.map(({ shape }) => [originOf(shape).sql, originOf(shape).place]);
    expect(places).toContainEqual(['insert into calls values (?, ?)', 'app.cjs:6']);
    expect(places).toContainEqual(['select n from calls where id = ?', 'app.cjs:7']);
    expect(places).toContainEqual(['select id from calls where id = ?', 'app.cjs:8']);
  });

  test('redacted values are not in the file', async () => {
    const { text } = await recorded(
      async (url) => {
        const client = await connect(url);
        await client.query('create or replace table secrets (id varchar(20) primary key, v varchar(20))');
        await client.query("insert into secrets values ('SECRET1', 'SECRET2') /* SECRET3 */");
        await client.execute('select v from secrets where id = ?', ['SECRET1']);
        await client.end();
      },
      { redact: true },
    );
    expect(text).toContain('"put","secrets"');
    expect(text).not.toContain('SECRET');
  });

  test('writes of triggers and of other clients are recorded', async () => {
    await direct.query(`create or replace table a (id int primary key, v int); create or replace table b (id int primary key, v int);
      create trigger tr after update on a for each row insert into b values (new.v, new.id); insert into a values (1, 1)`);
    const { text, summary } = await recorded(async (url) => {
      const client = await connect(url);
      await client.query('update a set v = 2 where id = 1');
      await direct.query('update a set v = 3 where id = 1');
      await client.query('select v from a where id = 1');
      await client.end();
    });
    const all = lines(text);
    expect(summary.log?.outside).toBe(1);
    expect(all.find(({ session }) => session === '1')).toMatchObject({
      ops: [
        ['get', 'a', 1, { v: 1 }],
        ['put', 'a', 1, { v: 2 }],
        ['put', 'b', 2, { v: 1 }],
      ],
    });
    expect(all.find(({ session }) => session === 'outside 1')).toMatchObject({
      ops: [
        ['get', 'a', 1, { v: 2 }],
        ['put', 'a', 1, { v: 3 }],
        ['put', 'b', 3, {}],
      ],
    });
    expect(all.at(-2)).toMatchObject({ session: '1', ops: [['get', 'a', 1, { v: 3 }]] });
  });

  test('savepoints, errors and truncated tables are understood', async () => {
    await direct.query('create or replace table t (id int primary key, v int); insert into t values (1, 0), (2, 0)');
    const { text, problems, judged } = await recorded(async (url) => {
      const client = await connect(url);
      await client.query('begin');
      await client.query('update t set v = 1 where id = 1');
      await client.query('savepoint s');
      await client.query('update t set v = 9 where id = 2');
      await client.query('rollback to s');
      await client.query('insert into t values (1, 1)').catch(() => {});
      await client.query('commit');
      await client.query('truncate table t');
      await client.query('insert into t values (1, 5)');
      await client.query('select * from t');
      await client.end();
    });
    expect(problems).toEqual([]);
    expect(judged.verdict).toBe('satisfied');
    const puts = lines(text).flatMap(({ ops = [] }) => (ops as unknown[][]).filter(([kind]) => kind === 'put'));
    expect(puts.map(([, , key, row]) => [key, (row as { v: number } | null)?.v ?? null])).toEqual([
      [1, 1],
      [1, null],
      [2, null],
      ['1#2', 5],
    ]);
  });

  test('tables that cannot be followed are named with the reason', async () => {
    await direct.query(`create or replace table plain (v int); create or replace table old (id int primary key) engine = MyISAM;
      drop table if exists child, parent; create table parent (id int primary key);
      create table child (id int primary key, p int, foreign key (p) references parent (id) on delete cascade)`);
    const { summary } = await recorded(async (url) => {
      const client = await connect(url);
      await client.query('insert into plain values (1)');
      await client.end();
    });
    expect(summary.log?.leftOut).toMatchObject({
      plain: 'it has no primary key',
      old: 'its engine is MyISAM',
      child: 'a foreign key changes its rows, which the log lacks',
    });
  });

  test.each([
    ['read committed', false],
    ['repeatable read', false],
    ['repeatable read', true],
    ['serializable', false],
  ] as const)(
    'MariaDB keeps %s under random transactions (snapshot isolation: %s)',
    async (level, hasSnapshots) => {
      await makeTables(direct);
      const { summary, judged, problems, text } = await recorded((url) =>
        workload(url, { level, hasSnapshots, clients: 5, transactions: 25, kills: false, seed: 7 }),
      );
      expect(text).not.toContain('"status":"unknown"');
      expect(judged.promises).toMatchObject([{ level, verdict: 'satisfied' }]);
      expect(summary.transactions).toBeGreaterThan(80);
      expect(summary.log?.outside).toBe(0);
      expect(problems.filter((problem) => !problem.includes('several versions'))).toEqual([]);
    },
    120_000,
  );

  test('transactions of all levels at once cause no accusation', async () => {
    await makeTables(direct);
    const work = { hasSnapshots: false, clients: 2, transactions: 25, kills: false };
    const { judged } = await recorded(async (url) => {
      const levels = ['read committed', 'repeatable read', 'serializable'];
      await Promise.all(levels.map((level, seed) => workload(url, { ...work, level, seed: seed + 1 })));
    });
    expect(judged.promises.map(({ verdict }) => verdict)).toEqual(['satisfied', 'satisfied', 'satisfied']);
  }, 120_000);

  test('clients that are killed leave outcomes that the log knows', async () => {
    await makeTables(direct);
    const { judged, text } = await recorded((url) =>
      workload(url, {
        level: 'serializable',
        hasSnapshots: false,
        clients: 5,
        transactions: 40,
        kills: true,
        seed: 11,
      }),
    );
    expect(judged.promises).toMatchObject([{ level: 'serializable', verdict: 'satisfied' }]);
    expect(text).not.toContain('"status":"unknown"');
  }, 120_000);
});
