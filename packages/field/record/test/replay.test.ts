import { mkdtempSync, rmSync } from 'node:fs';
import { type Server, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { certificate, check, open } from 'isolab';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Replayed, replay, startRecord } from '../src/index.ts';
import type { Kept, KeptOperation } from '../src/recorded/kept.ts';
import { Comparable } from '../src/replay/comparable.ts';

const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'isolab-replay-'));
let server: EmbeddedServer;
let databases = 0;

const TABLES = `CREATE TABLE items (id int PRIMARY KEY, stock int, seen timestamptz DEFAULT now());
  CREATE TABLE sales (id serial PRIMARY KEY, item int, amount int);
  INSERT INTO items VALUES (1, 10), (2, 20)`;

beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(async () => {
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function sends(address: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  for (const sql of statements) await client.query(sql);
  await client.end();
}

async function database(tables = TABLES): Promise<string> {
  const name = `replay_${++databases}`;
  await sends(server.address, `CREATE DATABASE ${name}`);
  const address = new URL(server.address);
  address.pathname = `/${name}`;
  await sends(address.href, tables);
  return address.href;
}

/** A database that executes another text instead of a part of its statements. */
async function mutant(
  address: string,
  [from, to]: readonly [string, string],
): Promise<{ server: Server; url: string }> {
  const { hostname, port } = new URL(address);
  const between = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on('data', (bytes) => upstream.write(bytes.toString('latin1').replace(from, to), 'latin1'));
    upstream.pipe(client);
    for (const one of [client, upstream]) {
      one.on('error', () => {});
      one.on('close', () => (one === client ? upstream : client).destroy());
    }
  });
  await new Promise<void>((resolve) => void between.listen(0, '127.0.0.1', resolve));
  const url = new URL(address);
  url.port = String((between.address() as { port: number }).port);
  return { server: between, url: url.href };
}

type Work = (a: pg.Client, b: pg.Client) => Promise<void>;

/** Records clients of a database, and replays the recording on another one. */
async function replayed(work: Work, on: string, given?: string): Promise<Replayed> {
  const upstream = given ?? (await database());
  const path = join(folder, `${++databases}.jsonl`);
  const running = await startRecord({ upstream, path, statements: true });
  const through = new URL(upstream);
  through.port = String(running.port);
  const clients = [0, 1].map(() => new pg.Client({ connectionString: through.href }));
  for (const client of clients) await client.connect();
  await work(clients[0]!, clients[1]!);
  for (const client of clients) await client.end();
  await running.finish();
  const input = await open(path);
  const result = await check(input, { level: 'serializable', certify: true });
  const proof = certificate(input, result, 'serializable')!.certificate;
  if (proof.kind !== 'commit-order' || !('prepared' in input)) throw new Error(`no order: ${proof.kind}`);
  const lines = proof.order.map((each) => input.prepared.history.txnPosition[each]!);
  return replay(path, lines, on, signal);
}

const sell: Work = async (a, b) => {
  for (const [i, client] of [a, b, a, b].entries()) {
    await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
    await client.query('SELECT * FROM items WHERE id = $1', [1]);
    await client.query('UPDATE items SET stock = stock - 1 WHERE id = $1', [1]);
    await client.query('SAVEPOINT s');
    await client.query('UPDATE items SET stock = stock + 5');
    await client.query('ROLLBACK TO s');
    await client.query('INSERT INTO sales (item, amount) VALUES ($1, $2)', [1, i]);
    // A refused transaction takes a number of the sequence.
    await client.query(i === 1 ? 'ROLLBACK' : 'COMMIT');
  }
  await a.query('SELECT count(*) FROM sales WHERE amount > 1');
};

describe('a replay of a recording', () => {
  test('a replay has equal results on a correct database', async () => {
    const found = await replayed(sell, await database());
    expect(found).toMatchObject({ transactions: 4, difference: null, stopped: null });
    expect(found.compared).toBe(4 * 3 - 3 + 3);
  });

  test('a wrongly computed UPDATE is found, although the order of its history is serializable', async () => {
    const right = await database();
    const wrong = await mutant(right, ['stock - 1', 'stock - 2']);
    const found = await replayed(sell, await database(), wrong.url).finally(() => wrong.server.close());
    expect(found.difference).toMatchObject({
      sql: 'UPDATE items SET stock = stock - 1 WHERE id = $1',
      recorded: ['items 1: {"id":1,"stock":8}'],
      replayed: ['items 1: {"id":1,"stock":9}'],
    });
  });

  test('a replay is refused where the recording lacks initial rows or writes', async () => {
    const other = await database(TABLES.replace('(1, 10)', '(1, 11)'));
    expect((await replayed(sell, other)).stopped).toMatch(/initial rows/);
    const withIndex: Work = async (a, b) => {
      await a.query('CREATE INDEX ON items (stock)');
      await sell(a, b);
    };
    expect((await replayed(withIndex, await database())).stopped).toMatch(/no statement shows: CREATE INDEX/);
  });
});

describe('statements that may have other results in another execution', () => {
  const columns = [
    { schema: 'public', table: 'items', name: 'id', type: 'integer', standard: null, sequence: 'public.items_id_seq' },
    { schema: 'public', table: 'items', name: 'seen', type: 'timestamp', standard: 'now()', sequence: null },
  ];
  const comparable = Comparable.of({ query: async () => ({ rows: columns }) } as unknown as pg.Client);
  const put = (id: number): KeptOperation => ['put', 'items', id, { id, xmin: 7, seen: `2026-01-0${id}` }];

  test.each([
    ['UPDATE items SET stock = (random() * 9)::int', /uses random\(\)/],
    ["UPDATE items SET stock = 3 WHERE day < 'tomorrow'", /uses 'tomorrow'/],
    ['UPDATE items SET stock = 3 WHERE seen IS NOT NULL', /uses seen/],
    ['UPDATE items i SET stock = o.id FROM items o', /a join/],
    ['UPDATE items SET stock = DEFAULT', /uses DEFAULT/],
    ['DELETE FROM items WHERE id IN (SELECT id FROM items LIMIT 1)', /uses LIMIT/],
    ['INSERT INTO items (stock) SELECT 1 FROM items WHERE seen > $1', /uses seen/],
  ])('%s ends the comparison', async (sql, why) => {
    expect((await comparable).obstacleOf([sql, [], []])).toMatch(why);
  });

  test.each([
    'UPDATE items SET stock = coalesce(stock, 0) + 1 WHERE id IN (SELECT max(id) FROM items) RETURNING seen',
    'INSERT INTO items (stock, seen) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET stock = 3',
    'SELECT random() FROM items FOR UPDATE',
  ])('%s does not', async (sql) => {
    expect((await comparable).obstacleOf([sql, [], []])).toBeNull();
  });

  test('an INSERT takes the recorded numbers of a sequence, if they follow each other', async () => {
    const insert = (...ids: readonly number[]): Kept => ['INSERT INTO items (stock) VALUES (1)', [], ids.map(put)];
    expect((await comparable).sequencesFor(insert(4, 5))).toEqual(["select setval('public.items_id_seq', 4, false)"]);
    expect((await comparable).obstacleOf(insert(4, 5))).toBeNull();
    expect((await comparable).obstacleOf(insert(4, 6))).toMatch(/do not follow each other/);
  });

  test('columns that change with each execution are not compared', async () => {
    expect((await comparable).rowsOf([put(4)])).toEqual(['items 4: {"id":4}']);
    expect((await comparable).isCompared(['SELECT * FROM items', [], []])).toBe(true);
    expect((await comparable).isCompared(['SELECT * FROM items WHERE seen > $1', [], []])).toBe(false);
  });
});
