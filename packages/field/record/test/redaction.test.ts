import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judge, possibleIn, reportPage, startRecord } from '../src/index.ts';

let server: EmbeddedServer;
let folder: string;

beforeAll(async () => {
  server = await startEmbedded();
  folder = mkdtempSync(join(tmpdir(), 'isolab-redaction-'));
});

afterAll(async () => {
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Two lost updates and a few statements with secrets in all places where values stand. */
async function secretive(url: string): Promise<void> {
  const [a, b] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([a.connect(), b.connect()]);
  try {
    await a.query("create table people (id text primary key, name text default 'secret0', age int)");
    await a.query("insert into people values ('secret1', 'secret2', 1947100001)");
    await a.query('insert into people values ($1, $2, $3)', ['secret3', 'secret4', 1947100002]);
    await a.query("/* secret5 */ select name from people where age > 1947100000 and name = 'secret2' -- secret6");
    await a.query("prepare q as select * from people where name = 'secret7'");
    await a.query('execute q');
    await a.query("select 'secret8").catch(() => {});
    for (const each of [a, b]) {
      await each.query('begin');
      await each.query('select age from people where id = $1', ['secret1']);
    }
    await a.query("update people set age = 1947100003 where id = 'secret1'");
    await a.query('commit');
    await b.query("update people set age = 1947100004 where id = 'secret1'");
    await b.query('commit');
  } finally {
    await Promise.all([a.end(), b.end()]);
  }
}

test('a redacted recording holds no value, and has the same verdict', async () => {
  const path = join(folder, 'redacted.jsonl');
  const running = await startRecord({ upstream: server.address, path, redact: true });
  const url = new URL(server.address);
  url.port = String(running.port);
  await secretive(url.href);
  const summary = await running.finish();
  const judged = await judge(path);
  expect(judged.troubles.map(({ title }) => title)).toEqual(['Lost update']);
  const told = [
    readFileSync(path, 'utf8'),
    await reportPage(summary, judged, await possibleIn(summary, judged.troubles)),
    JSON.stringify([summary, judged]),
  ];
  for (const text of told) expect(text.match(/secret\d?|19471000\d\d/g)).toBeNull();
});
