import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, open } from 'isolab';
import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Recorded } from '../../src/recording/finish.ts';
import { startRecord } from '../../src/index.ts';
import type { RecordOptions } from '../../src/recording/record.ts';

export type Line = Record<string, unknown> & { ops?: unknown[][]; session?: string };

/** Connects through the proxy, or past it. */
export interface Meeting {
  readonly through: () => Promise<pg.Client>;
  readonly past: () => Promise<pg.Client>;
}

export interface Made {
  readonly path: string;
  readonly summary: Recorded;
  readonly problems: readonly string[];
  readonly lines: readonly Line[];
  readonly transactions: readonly Line[];
}

/** A server with a log that can be read, and a folder for recordings, while the tests of a file run. */
export class RecordedServer {
  server!: EmbeddedServer;
  folder!: string;

  constructor() {
    beforeAll(async () => {
      this.server = await startEmbedded(
        { connectMs: 10_000 },
        { wal_level: 'logical', max_prepared_transactions: '5' },
      );
      this.folder = mkdtempSync(join(tmpdir(), 'isolab-record-'));
    });

    afterAll(async () => {
      await this.server?.database.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  readonly recorded = (
    setUp: string,
    meet: (meeting: Meeting) => Promise<void>,
    options: Partial<RecordOptions> = {},
  ): Promise<Made> => recorded(this.server, this.folder, setUp, meet, options);
}

let databases = 0;

/** Recording of clients of a new database. */
export async function recorded(
  { address }: EmbeddedServer,
  folder: string,
  setUp: string,
  meet: (meeting: Meeting) => Promise<void>,
  options: Partial<RecordOptions> = {},
): Promise<Made> {
  const name = `d${++databases}`;
  await once(address, `create database ${name}`);
  const upstream = new URL(address);
  upstream.pathname = name;
  await once(upstream.href, setUp);
  const problems: string[] = [];
  const path = join(folder, `${name}.jsonl`);
  const onProblem = (problem: string): void => void problems.push(problem);
  const running = await startRecord({ upstream: upstream.href, path, onProblem, ...options });
  const proxied = new URL(upstream.href);
  proxied.port = String(running.port);
  const clients: pg.Client[] = [];
  const connect = async (url: string): Promise<pg.Client> => {
    const client = await connected(url);
    clients.push(client);
    return client;
  };
  try {
    await meet({ through: () => connect(proxied.href), past: () => connect(upstream.href) });
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
  const summary = await running.finish();
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return { path, summary, problems, lines, transactions: lines.filter(({ ops }) => ops !== undefined) };
}

async function once(url: string, sql: string): Promise<void> {
  const client = await connected(url);
  await client.query(sql);
  await client.end();
}

export async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** `put accounts 1 amount=5` */
export const told = ({ ops = [] }: Line): string[] =>
  ops.map(([kind, table, key, row]) =>
    kind === 'scan' ? `scan ${String(table)}` : `${String(kind)} ${String(table)} ${String(key)} ${rowText(row)}`,
  );

const rowText = (row: unknown): string =>
  row === null
    ? 'null'
    : Object.entries(row as object)
        .filter(([name]) => name !== 'xmin' && name !== 'id')
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(' ');

export const ACCOUNTS =
  'create table accounts(id int primary key, amount int); insert into accounts values (1, 10), (2, 20)';

/** The history satisfies this level as recorded. */
export async function holds(path: string, level: 'snapshot-isolation' | 'serializable'): Promise<void> {
  const result = await check(await open(path), { level, allowVacuous: true });
  expect([result.verdict, result.reason, result.anomalies]).toEqual(['satisfied', null, []]);
}
