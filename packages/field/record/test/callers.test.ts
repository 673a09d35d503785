import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { unless } from '@isolab/needs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRecord } from '../src/index.ts';
import { originOf } from '../src/sql/origin.ts';
import { unlessFetched } from './suites/suites.ts';

const run = promisify(execFile);
const callers = resolve(import.meta.dirname, '../callers');
let server: EmbeddedServer;
const folder = mkdtempSync(join(tmpdir(), 'isolab callers '));

beforeAll(async () => {
  server = await startEmbedded();
  symlinkSync(resolve(import.meta.dirname, '../../../../node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'src'));
});

afterAll(async () => {
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program directly, and recorded with its callers. Returns its outputs, and the recorded statements. */
async function both(
  program: string,
  words: readonly string[],
  env: Record<string, string>,
  directEnv: Record<string, string> = {},
) {
  const start = async (url: string, more: Record<string, string>) => {
    const { stdout } = await run(program, [...words], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: url, ...more },
    });
    return stdout;
  };
  const direct = await start(server.address, directEnv);
  const running = await startRecord({ upstream: server.address, path: join(folder, 'callers.jsonl') });
  const url = new URL(server.address);
  url.port = String(running.port);
  const recorded = await start(url.href, env);
  const { shapes } = await running.finish();
  return { direct, recorded, places: new Map(shapes.map(({ shape }) => [originOf(shape).sql, originOf(shape).place])) };
}

const PROGRAM = `import pg from 'pg';
import knex from 'knex';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable } from 'drizzle-orm/pg-core';
const connectionString = process.env.DATABASE_URL;
const pool = new pg.Pool({ connectionString });
const told = [];
const tell = (result) => told.push(JSON.stringify(result.rows ?? result));
tell(await pool.query('drop table if exists items; create table items (id int primary key, n int)'));
tell(await pool.query('insert into items values ($1, $2)', [1, 10]));
const client = await pool.connect();
const asked = { text: 'select n from items where id = $1', values: [1] };
tell(await client.query(asked));
told.push(JSON.stringify(asked));
tell(await client.query({ name: 'one', text: 'select id from items' }));
tell(await client.query({ name: 'one', text: 'select id from items' }));
tell(await client.query('select n from items -- a remark'));
await client.query('selec 1').catch(({ message, code, position }) => told.push(message, code, position));
await new Promise((done) => client.query('select 3 as three', (error, result) => done(tell(result))));
client.release();
const db = knex({ client: 'pg', connection: connectionString });
await db.transaction(async (trx) => {
  tell(await trx('items').where({ id: 1 }).first('n'));
});
await db.destroy();
const items = pgTable('items', { id: integer().primaryKey(), n: integer() });
await drizzle(pool).transaction(async (tx) => {
  tell(await tx.select({ n: items.n }).from(items).where(eq(items.id, 1)));
});
await pool.end();
console.log(told.join('\\n'));
`;

test('Node: answers stay the same, and statements have the file and the line of their callers', async () => {
  writeFileSync(join(folder, 'src/app.mjs'), PROGRAM);
  const env = { NODE_OPTIONS: `--require="${join(callers, 'node.cjs')}"` };
  const { direct, recorded, places } = await both('node', ['src/app.mjs'], env);
  expect(recorded).toBe(direct);
  const lineOf = (text: string): string => `src/app.mjs:${PROGRAM.slice(0, PROGRAM.indexOf(text)).split('\n').length}`;
  expect(places.get('insert into items values ($1, $2)')).toBe(lineOf('insert into'));
  expect(places.get('select n from items where id = $1')).toBe(lineOf('client.query(asked)'));
  expect(places.get('select id from items')).toBe(null);
  expect(places.get('select n from items -- a remark')).toBe(lineOf('-- a remark'));
  expect(places.get('select "n" from "items" where "id" = $1 limit $2')).toBe(lineOf("trx('items')"));
  expect(places.get('select "n" from "items" where "items"."id" = $1')).toBe(lineOf('tx.select('));
});

const POSTGRES_JS = `import postgres from 'postgres';
const sql = postgres(process.env.DATABASE_URL, { onnotice: () => {} });
const told = [];
await sql\`drop table if exists items\`;
await sql\`create table items (id int primary key, n int)\`;
await sql\`insert into items \${sql({ id: 1, n: 10 })}\`;
const condition = sql\`where id = \${1}\`;
told.push(await sql\`select n from items \${condition}\`);
await sql.begin(async (tx) => {
  told.push(await tx.unsafe('select id from items where id = $1', [1]));
});
await sql\`select nothing from items\`.catch(({ message, position }) => told.push(message, position));
await sql.end();
console.log(JSON.stringify(told));
`;

test('postgres.js: statements have the file and the line of their callers', unless('postgres.js'), async () => {
  writeFileSync(join(folder, 'src/postgres.mjs'), POSTGRES_JS);
  const env = { NODE_OPTIONS: `--require="${join(callers, 'node.cjs')}"` };
  const { direct, recorded, places } = await both('node', ['src/postgres.mjs'], env);
  expect(recorded).toBe(direct);
  const placeOf = (sql: string): string | null => [...places].find(([shape]) => shape.startsWith(sql))?.[1] ?? null;
  expect(placeOf('insert into items')).toBe('src/postgres.mjs:6');
  expect(placeOf('select n from items')).toBe('src/postgres.mjs:8');
  expect(placeOf('select id from items')).toBe('src/postgres.mjs:10');
});

const PYTHON = `import os, sqlalchemy
def test_buy():
    url = os.environ["DATABASE_URL"].replace("postgres://", "postgresql+psycopg://")
    with sqlalchemy.create_engine(url).begin() as connection:
        connection.execute(sqlalchemy.text("drop table if exists items"))
        connection.execute(sqlalchemy.text("create table items (id int primary key, n int)"))
        print(connection.execute(sqlalchemy.text("select n from items where id = :id"), {"id": 1}).all())
`;

const PACKAGES = ['sqlalchemy==2.0.44', 'psycopg[binary]==3.2.13', 'pytest==8.3.5'];
const withPackages = unlessFetched('psycopg');

test('pytest and SQLAlchemy: statements have the file, the line and the test', withPackages, async () => {
  const packages = join(folder, 'site-packages');
  await run('python3', ['-m', 'pip', '--quiet', 'install', '--target', packages, ...PACKAGES]);
  writeFileSync(join(folder, 'test_shop.py'), PYTHON);
  const env = { PYTHONPATH: `${packages}:${join(callers, 'python')}`, PYTEST_PLUGINS: 'isolab_callers' };
  const words = ['-m', 'pytest', '-q', '-s', '-p', 'no:cacheprovider', 'test_shop.py'];
  const { direct, recorded, places } = await both('python3', words, env, { PYTHONPATH: packages });
  expect(recorded.split('\n')[0]).toBe(direct.split('\n')[0]);
  expect([...places]).toContainEqual(['select n from items where id = $1', 'test_shop.py:7, test “test_buy”']);
});
