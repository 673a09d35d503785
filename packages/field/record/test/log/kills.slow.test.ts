// Slow: kills clients, proxies and servers under load, and judges their recordings.
/** Clients, the proxy and the server are killed under a SERIALIZABLE load: PostgreSQL is not blamed for it. */
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judge } from '../../src/judgement/judge.ts';
import { numbersFrom } from '../wire/random.ts';
import { connected } from './recorded.ts';

/** ISOLAB_SEED and ISOLAB_COUNT ask for others, and for more. */
const FIRST = Number(process.env['ISOLAB_SEED'] ?? 1);
const COUNT = Number(process.env['ISOLAB_COUNT'] ?? 3);

const CLIENTS = 6;
const ROWS = 12;

/** The client's program: it reads two or three rows, and writes one or two of them, or makes one. */
const CLIENT = `
import pg from 'pg';
const [url, seed] = process.argv.slice(1);
let state = Number(seed);
const below = (n) => { state = (state * 1103515245 + 12345) & 0x7fffffff; return (state >> 8) % n; };
const client = new pg.Client({ connectionString: url });
client.on('error', () => process.exit(0));
await client.connect();
for (let i = 0; ; i++)
  try {
    await client.query('begin isolation level serializable');
    for (let n = 1 + below(3); n > 0; n--) {
      if (below(4) === 0) await client.query('select sum(n) from acct');
      else if (below(3) === 0) await client.query('select * from acct where n < $1', [below(40)]);
      else await client.query('select * from acct where id = $1', [1 + below(${ROWS})]);
    }
    if (below(5) === 0) await client.query('savepoint s');
    if (below(3) > 0) await client.query('update acct set n = n + 1 where id = ' + (1 + below(${ROWS})));
    if (below(6) === 0) await client.query('insert into acct values ($1, 1)', [1e6 + Math.trunc(1e8 * Math.random())]);
    await client.query(below(8) === 0 ? 'rollback' : 'commit');
  } catch (error) {
    if (error.code === undefined || error.code.startsWith('57') || error.code.startsWith('08')) process.exit(0);
    await client.query('rollback').catch(() => process.exit(0));
  }
`;

const PROXY = `
import { startRecord } from ${JSON.stringify(fileURLToPath(new URL('../../dist/index.js', import.meta.url)))};
const [upstream, path, log] = process.argv.slice(1);
const running = await startRecord({ upstream, path, log: log === 'true', onProblem: () => {} });
process.stdout.write(String(running.port));
process.on('SIGTERM', async () => { await running.finish(); process.exit(0); });
`;

let server: EmbeddedServer;
let folder: string;

beforeAll(async () => {
  server = await startEmbedded({ connectMs: 10_000 }, { wal_level: 'logical' });
  folder = mkdtempSync(join(tmpdir(), 'isolab-record-kills-'));
});

afterAll(async () => {
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
});

const started = (code: string, ...words: readonly string[]): ChildProcess =>
  spawn(process.execPath, ['--input-type=module', '-e', code, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

const KILLED = ['client', 'proxy', 'server'] as const;
const RUNS = Array.from({ length: COUNT }, (_, i) => [FIRST + i, KILLED[(FIRST + i) % 3]!] as const);

test.each(RUNS)('run %i: a killed %s', async (seed, killed) => {
  const { below } = numbersFrom(seed);
  const admin = await connected(server.address);
  await admin.query(`drop table if exists acct; create table acct (id int primary key, n int);
    insert into acct select i, i from generate_series(1, ${ROWS}) i`);
  await admin.end();
  const path = join(folder, `${seed}.jsonl`);
  const proxy = started(PROXY, server.address, path, String(below(2) === 0));
  const [port] = (await once(proxy.stdout!, 'data')) as [Buffer];
  const url = new URL(server.address);
  url.port = String(port);
  expect(url.port).toBe(String(port));
  const clients = Array.from({ length: CLIENTS }, (_, i) => started(CLIENT, url.href, String(100 * seed + i)));
  try {
    const size = 5_000 + below(60_000);
    await expect.poll(() => statSync(path).size, { interval: 20, timeout: 60_000 }).toBeGreaterThan(size);
    await pause(below(100));
    if (killed === 'client') for (const client of clients.slice(0, 1 + below(CLIENTS))) client.kill('SIGKILL');
    else if (killed === 'proxy') proxy.kill('SIGKILL');
    else await server.crash('SIGKILL');
    if (killed === 'client') await pause(below(300));
  } finally {
    for (const client of clients) client.kill('SIGKILL');
    proxy.kill('SIGTERM');
    await Promise.all([...clients, proxy].map(ended));
  }
  const { promises } = await judge(path);
  expect(promises.map(({ level }) => level)).toEqual(['serializable']);
  if (process.env['ISOLAB_COUNT'] !== undefined)
    process.stdout.write(`${seed} ${killed} ${JSON.stringify(promises)}\n`);
  for (const { verdict } of promises) expect(verdict).not.toBe('violated');
});
