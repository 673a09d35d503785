import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge, reportPage, startRecord } from '../src/index.ts';
import { type OpenShop, busyDay, quietDay } from './shop/shop.ts';
import { openDrizzleShop } from './shop/with-drizzle.ts';
import { openKnexShop } from './shop/with-knex.ts';

let server: EmbeddedServer;
let folder: string;

beforeAll(async () => {
  server = await startEmbedded();
  folder = mkdtempSync(join(tmpdir(), 'isolab-record-'));
}, 60_000);

afterAll(async () => {
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function recorded(open: OpenShop, isCareful: boolean) {
  const problems: string[] = [];
  const path = join(folder, 'day.jsonl');
  const running = await startRecord({ upstream: server.address, path, onProblem: (problem) => problems.push(problem) });
  const url = new URL(server.address);
  url.port = String(running.port);
  const shop = open(url.href, isCareful);
  try {
    await busyDay(shop, isCareful);
  } finally {
    await shop.close();
  }
  const summary = await running.finish();
  expect(problems).toEqual([]);
  const judged = await judge(path);
  return { summary, judged, page: await reportPage(summary, judged) };
}

test('a client of another database is let pass, and is not recorded', async () => {
  const direct = new pg.Client({ connectionString: server.address });
  await direct.connect();
  await direct.query('create table t (id int primary key, n int)');
  await direct.query('create database other');
  await direct.end();
  const problems: string[] = [];
  const path = join(folder, 'other.jsonl');
  const running = await startRecord({ upstream: server.address, path, onProblem: (problem) => problems.push(problem) });
  const url = new URL(server.address);
  url.port = String(running.port);
  url.pathname = '/other';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query('create table t (id int primary key, n text)');
  await client.query("insert into t values (1, 'a')");
  expect((await client.query('select * from t')).rows).toEqual([{ id: 1, n: 'a' }]);
  await client.end();
  expect((await running.finish()).transactions).toBe(0);
  expect(problems).toEqual([expect.stringContaining('it uses the database other, and postgres is recorded')]);
});

test('who has locked a table goes on, though the recording cannot look at it', async () => {
  const path = join(folder, 'locked.jsonl');
  const running = await startRecord({ upstream: server.address, path });
  const url = new URL(server.address);
  url.port = String(running.port);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query('create table locked (id int primary key, n int)');
  await client.query('begin');
  await client.query('truncate locked');
  expect((await client.query('select * from locked where n > 5')).rows).toEqual([]);
  await client.query('commit');
  await client.query('select * from locked where n > 5');
  await client.end();
  const { shapes } = await running.finish();
  const select = shapes.find(({ shape }) => shape.startsWith('select * from locked'));
  expect(select).toMatchObject({ calls: 2, opaque: expect.any(String) as string });
});

test('tables that are changed, emptied and made again are no reason to blame the database', async () => {
  const path = join(folder, 'made-again.jsonl');
  const running = await startRecord({ upstream: server.address, path });
  const url = new URL(server.address);
  url.port = String(running.port);
  const [a, b] = [new pg.Client({ connectionString: url.href }), new pg.Client({ connectionString: url.href })];
  await Promise.all([a.connect(), b.connect()]);
  for (let time = 0; time < 3; time++) {
    await a.query('drop table if exists made, emptied');
    await a.query('create table made (id int primary key, n int)');
    await a.query('create table emptied (id int primary key, n int)');
    await a.query('select * from made where n > 0');
    await b.query('insert into made values (1, 1), (2, 2)');
    await b.query('insert into emptied values (1, 1), (2, 2)');
    await a.query('truncate emptied');
    await b.query('select * from emptied where n > 0');
    await b.query('insert into emptied values (1, 5)');
    await b.query('begin');
    await b.query('alter table made add column m int default 7');
    await b.query('update made set n = 9 where id = 1');
    await b.query('commit');
    await a.query('select * from made where m = 7');
    await a.query('delete from made where id = 1');
    await a.query('insert into made values (1, 1, 1)');
    await b.query('select * from made where m < 7');
  }
  await Promise.all([a.end(), b.end()]);
  await running.finish();
  const { promises, troubles } = await judge(path);
  expect(promises).toMatchObject([{ level: 'read committed', verdict: 'satisfied' }]);
  expect(troubles).toEqual([]);
});

describe.each([
  ['Knex', openKnexShop],
  ['Drizzle', openDrizzleShop],
] as const)('an application by %s', (_, open) => {
  test('gets through the proxy what it gets without', { timeout: 30_000 }, async () => {
    const direct = open(server.address, false);
    const expected = await quietDay(direct).finally(() => direct.close());
    const running = await startRecord({ upstream: server.address, path: join(folder, 'quiet.jsonl') });
    const url = new URL(server.address);
    url.port = String(running.port);
    const through = open(url.href, false);
    const seen = await quietDay(through).finally(() => through.close());
    await running.finish();
    expect(seen).toEqual(expected);
  });

  test('that is careless meets three anomalies, told in its own SQL', { timeout: 30_000 }, async () => {
    const { summary, judged, page } = await recorded(open, false);
    expect(page).toContain('<h1>The application met 3 kinds of anomalies</h1>');
    expect(summary.shapes.filter(({ opaque }) => opaque !== null)).toEqual([]);
    expect(judged.promises.map(({ verdict }) => verdict)).toEqual(['satisfied', 'satisfied']);
    const named = Object.fromEntries(judged.troubles.map((trouble) => [trouble.title, trouble]));
    expect(Object.keys(named).toSorted()).toEqual(['Lost update', 'Non-repeatable read', 'Write skew']);
    expect(named['Lost update']).toMatchObject({ count: 2, preventedBy: 'repeatable read' });
    expect(named['Lost update']!.example.map(({ rows }) => rows)).toEqual([['items 1'], ['items 1']]);
    for (const { statements } of named['Lost update']!.example)
      expect(statements).toEqual([
        expect.stringMatching(/^select "stock" from "items" where /),
        expect.stringMatching(/^update "items" set "stock" = \$1 where /),
      ]);
    expect(named['Lost update']!.advice[0]).toMatch(/^Lock the row when it is read: select .* FOR UPDATE\.$/);
    expect(named['Write skew']).toMatchObject({ count: 1, preventedBy: 'serializable' });
    expect(named['Non-repeatable read']).toMatchObject({ count: 2, preventedBy: 'repeatable read' });
  });

  test('that is careful meets none', { timeout: 30_000 }, async () => {
    const { judged, page } = await recorded(open, true);
    expect(page).toContain('<h1>The application met no anomaly</h1>');
    expect(judged.troubles).toEqual([]);
    expect(judged.isComplete).toBe(true);
    expect(judged.verdict).not.toBe('violated');
  });
});
