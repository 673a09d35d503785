import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Batch } from '../src/drivers/postgres-batch.ts';
import { type EmbeddedServer, startEmbedded } from '../src/index.ts';

let server: EmbeddedServer;
let client: pg.Client;
let other: pg.Client;

beforeAll(async () => {
  server = await startEmbedded();
  client = new pg.Client({ connectionString: server.address });
  other = new pg.Client({ connectionString: server.address });
  await Promise.all([client.connect(), other.connect()]);
});
afterAll(async () => {
  await Promise.all([client.end(), other.end()]);
  await server.database.close();
});
beforeEach(async () => {
  await client.query('ROLLBACK; DEALLOCATE ALL');
  await client.query('DROP TABLE IF EXISTS rows, gate');
  await client.query('CREATE TABLE rows (k INT PRIMARY KEY)');
  await client.query('CREATE TABLE gate AS SELECT 1 AS open');
});

const unchanged = (error: Error): Error => error;
const INSERT = 'INSERT INTO rows VALUES ($1)';
const held = async (): Promise<unknown[]> =>
  (await other.query('SELECT k FROM rows ORDER BY k')).rows.map(({ k }) => k);

describe('a batch of statements', () => {
  test('BEGIN and the first statement are one transaction, which others see when it is committed', async () => {
    const batch = new Batch(client, 'BEGIN', unchanged);
    for (const k of [1, 2]) {
      batch.begin();
      await batch.statement(INSERT, [k]);
      expect(await held()).not.toContain(k);
      expect(await batch.commit()).toBe('COMMIT');
      expect(await held()).toContain(k);
    }
  });

  test('a BEGIN that fails takes the statement with it', async () => {
    const batch = new Batch(client, 'SELECT 1 / (SELECT count(*) FROM gate)', unchanged);
    batch.begin();
    await batch.statement(INSERT, [1]);
    await client.query('DELETE FROM gate');
    batch.begin();
    await expect(batch.statement(INSERT, [2])).rejects.toThrow('division by zero');
    expect(await held()).toEqual([1]);
  });

  test('after an error the connection continues, whether or not something was asked in between', async () => {
    const batch = new Batch(client, 'BEGIN', unchanged);
    batch.begin();
    await batch.statement(INSERT, [1]);
    await expect(batch.statement(INSERT, [1])).rejects.toThrow('duplicate key');
    await batch.rollback();
    batch.begin();
    await batch.rollback();
    batch.begin();
    expect(await batch.commit()).toBe('COMMIT');
    batch.begin();
    await batch.statement(INSERT, [3]);
    expect(await batch.commit()).toBe('COMMIT');
    expect(await held()).toEqual([3]);
  });

  test.each([
    ['a later', [2, 1]],
    ['the first', [1]],
  ])('a lock that %s statement does not get in time undoes all, and the next one has its level', async (_, keys) => {
    const batch = new Batch(client, 'BEGIN ISOLATION LEVEL SERIALIZABLE', unchanged);
    batch.begin();
    await batch.statement(INSERT, [4]);
    await batch.commit(); // so that BEGIN goes with the statement from now on
    await other.query('BEGIN');
    await other.query(INSERT, [1]);
    await client.query("SET lock_timeout = '50ms'");
    batch.begin();
    for (const k of keys.slice(0, -1)) await batch.statement(INSERT, [k]);
    await expect(batch.statement(INSERT, keys.slice(-1))).rejects.toMatchObject({ code: '55P03' });
    await batch.rollback();
    await other.query('ROLLBACK');
    batch.begin();
    await batch.statement(INSERT, [3]);
    const [level] = await batch.statement('SELECT current_setting($1) AS level', ['transaction_isolation']);
    expect(level).toEqual({ level: 'serializable' });
    expect(await held()).toEqual([4]);
    expect(await batch.commit()).toBe('COMMIT');
    expect(await held()).toEqual([3, 4]);
  });

  test('a rollback without an error undoes at once', async () => {
    const batch = new Batch(client, 'BEGIN', unchanged);
    batch.begin();
    await batch.statement(INSERT, [1]);
    await batch.rollback();
    await other.query('INSERT INTO rows VALUES (1)'); // waits for no other session
    expect(await held()).toEqual([1]);
  });
});
