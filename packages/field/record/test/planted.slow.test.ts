// Slow: judges the recordings of ten applications with two ORMs.
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JudgedRecording, judge, startRecord } from '../src/index.ts';
import { type Mistake, lostUpdate, phantom, readSkew, writeSkew } from './planted/mistakes.ts';
import { type Application, type Orm, withDrizzle, withKnex } from './planted/orms.ts';

let server: EmbeddedServer;
const folder = mkdtempSync(join(tmpdir(), 'isolab-planted-'));

beforeAll(async () => {
  server = await startEmbedded();
});

afterAll(async () => {
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
});

const TABLES = ['items', 'accounts', 'seats', 'doctors', 'rooms', 'books', 'coins', 'quotas', 'tickets', 'slots'];
const ORMS: readonly (readonly [string, Orm])[] = [
  ['Knex', withKnex],
  ['Drizzle', withDrizzle],
];
const CASES = ORMS.flatMap(([name, orm]) => TABLES.map((table, i) => [name, table, orm, 2 + (i % 3)] as const));

async function judged(orm: Orm, table: string, work: (application: Application) => Promise<void>) {
  const direct = new pg.Client(server.address);
  await direct.connect();
  await direct.query(`drop table if exists ${table};
    create table ${table} (id int primary key, amount int not null, part int not null);
    insert into ${table} values (1, 100, 1), (2, 1, 2), (3, 1, 2), (4, 10, 4), (5, 10, 4)`);
  await direct.end();
  const path = join(folder, `${table}.jsonl`);
  const running = await startRecord({ upstream: server.address, path });
  const url = new URL(server.address);
  url.port = String(running.port);
  const application = orm(url.href, table);
  await work(application).finally(() => application.close());
  await running.finish();
  return judge(path);
}

/** The count, and the kinds of the statements, of each anomaly. */
const found = ({ troubles }: JudgedRecording): Record<string, unknown> =>
  Object.fromEntries(
    troubles.map(({ title, count, example }) => [
      title,
      [count, example.map(({ statements }) => statements.map((sql) => sql.split(' ')[0]!.toLowerCase()).join(' '))],
    ]),
  );

const mistakesOf = (buyers: number): Mistake[] => [lostUpdate(buyers), writeSkew, readSkew, phantom];

test.each(CASES)(
  'the four mistakes of an application by %s on %s are found and counted',
  async (_, table, orm, buyers) => {
    const counts: number[] = [];
    const recording = await judged(orm, table, async (application) => {
      for (const { careless } of mistakesOf(buyers)) counts.push(await careless(application));
    });
    expect(recording.promises.map(({ verdict }) => verdict)).toEqual(['satisfied', 'satisfied']);
    expect(found(recording)).toEqual({
      'Lost update': [counts[0], ['select update', 'select update']],
      'Write skew': [counts[1], ['select select update', 'select select update']],
      'Read skew': [counts[2], ['select select', 'update update']],
      Phantom: [counts[3], ['select select', 'insert']],
    });
    expect(recording.isComplete).toBe(true);
  },
);

test.each(CASES)(
  'the same application by %s on %s without the mistakes has no anomaly',
  async (_, table, orm, buyers) => {
    const recording = await judged(orm, table, async (application) => {
      for (const { careful } of mistakesOf(buyers)) await careful(application);
    });
    expect(found(recording)).toEqual({});
    expect(recording.isComplete).toBe(true);
  },
);
