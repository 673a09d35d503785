// Slow: judges the recordings of three applications with two ORMs on two databases; ISOLAB_LONG takes ten.
import { startEmbedded } from '@isolab/collector';
import { unless } from '@isolab/needs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JudgedRecording, judge, startRecord } from '../src/index.ts';
import { connect, startMariadb, through } from './mysql/server.ts';
import { type Mistake, lostUpdate, phantom, readSkew, writeSkew } from './planted/mistakes.ts';
import { type Application, type Orm, withDrizzle, withKnex } from './planted/orms.ts';

interface Database {
  readonly address: string;
  run(sql: string): Promise<unknown>;
  end(): Promise<unknown>;
}

const folder = mkdtempSync(join(tmpdir(), 'isolab-planted-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ALL = ['items', 'accounts', 'seats', 'doctors', 'rooms', 'books', 'coins', 'quotas', 'tickets', 'slots'];
/** One for each number of buyers. */
const TABLES = process.env['ISOLAB_LONG'] === undefined ? ALL.slice(0, 3) : ALL;
const ORMS: readonly (readonly [string, Orm])[] = [
  ['Knex', withKnex],
  ['Drizzle', withDrizzle],
];
const CASES = ORMS.flatMap(([name, orm]) => TABLES.map((table, i) => [name, table, orm, 2 + (i % 3)] as const));

async function judged(
  database: Database,
  orm: Orm,
  table: string,
  work: (application: Application) => Promise<void>,
): Promise<JudgedRecording> {
  await database.run(`drop table if exists ${table}`);
  await database.run(`create table ${table} (id int primary key, amount int not null, part int not null)`);
  await database.run(`insert into ${table} values (1, 100, 1), (2, 1, 2), (3, 1, 2), (4, 10, 4), (5, 10, 4)`);
  const path = join(folder, `${table}.jsonl`);
  const running = await startRecord({ upstream: database.address, path });
  const application = orm(through(database.address, running.port).replace('mariadb:', 'mysql:'), table);
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

function testOn(start: () => Promise<Database>): void {
  let database: Database;

  beforeAll(async () => {
    database = await start();
  }, 60_000);

  afterAll(() => database?.end());

  test.each(CASES)(
    'the four mistakes of an application by %s on %s are found and counted',
    async (_, table, orm, buyers) => {
      const counts: number[] = [];
      const recording = await judged(database, orm, table, async (application) => {
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
      const recording = await judged(database, orm, table, async (application) => {
        for (const { careful } of mistakesOf(buyers)) await careful(application);
      });
      expect(found(recording)).toEqual({});
      expect(recording.isComplete).toBe(true);
    },
  );
}

describe('PostgreSQL', () => {
  testOn(async () => {
    const { address, database } = await startEmbedded();
    const client = new pg.Client(address);
    await client.connect();
    const end = (): Promise<void> => client.end().then(() => database.close());
    return { address, run: (sql) => client.query(sql), end };
  });
});

describe('MariaDB', unless('mariadb'), () => {
  testOn(async () => {
    const engine = await startMariadb();
    const [address] = engine.addresses as [string];
    const client = await connect(address);
    return { address, run: (sql) => client.query(sql), end: () => client.end().then(() => engine.end()) };
  });
});
