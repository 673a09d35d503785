import type { EmbeddedServer } from '@isolab/collector';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Recorded } from '../../src/finish.ts';
import { type RecordOptions, startRecord } from '../../src/record.ts';

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

let databases = 0;

/** What is recorded of clients of a new database. */
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
