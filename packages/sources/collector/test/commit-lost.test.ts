/** A COMMIT of PostgreSQL whose answer is not a plain yes may have happened. */
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, ConnectionLost, type EmbeddedServer, isolationNamed, startEmbedded } from '../src/index.ts';
import { postgres } from '../src/drivers/postgres.ts';

let server: EmbeddedServer;
let admin: pg.Client;
const SERIALIZABLE = isolationNamed(postgres, 'serializable');

beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(() => server.database.close(), 60_000);
beforeEach(async () => {
  admin = await adminClient();
  await server.database.prepare('registers', false);
});

async function adminClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.address });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** A session whose COMMIT does this until it is stopped. */
async function committing(does: string): Promise<{ pid: number; ended: Promise<unknown>; connection: Connection }> {
  await admin.query(`
    CREATE TABLE IF NOT EXISTS gate (open INT);
    CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${does}; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON isolab_registers DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION slow()`);
  const connection = await server.database.connect(SERIALIZABLE);
  await connection.begin();
  await connection.ask({ kind: 'write', key: 1, value: 7 });
  const ended = connection.commit().catch((error: unknown) => error);
  for (;;) {
    const { rows } = await admin.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE query = 'COMMIT' AND state = 'active'`,
    );
    if (rows[0]) return { pid: rows[0].pid, ended, connection };
  }
}

describe('a COMMIT has an unknown outcome', () => {
  test.each([
    ['when its backend is ended', 'pg_terminate_backend'],
    ['when it is canceled', 'pg_cancel_backend'],
  ])('%s', async (_, stops) => {
    const { pid, ended, connection } = await committing('PERFORM pg_sleep(60)');
    await admin.query(`SELECT ${stops}($1)`, [pid]);
    expect(await ended).toBeInstanceOf(ConnectionLost);
    connection.abandon();
    await admin.end();
  });

  test('a COMMIT has an unknown outcome when it does not get a lock in time', async () => {
    await admin.query('CREATE TABLE IF NOT EXISTS gate (open INT)');
    const holder = await adminClient();
    await holder.query('BEGIN; LOCK TABLE gate');
    const { ended, connection } = await committing('LOCK TABLE gate');
    expect(await ended).toBeInstanceOf(ConnectionLost);
    expect(String(await ended)).toContain('55P03');
    connection.abandon();
    await Promise.all([holder.end(), admin.end()]);
  });

  test('a COMMIT has an unknown outcome when the server is killed', async () => {
    const { ended, connection } = await committing('PERFORM pg_sleep(60)');
    await server.crash('SIGKILL');
    expect(await ended).toBeInstanceOf(ConnectionLost);
    connection.abandon();
  });
});
