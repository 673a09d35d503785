/** An embedded PostgreSQL, and recordings in front of it. */
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { type Recorded, startRecord } from '../../src/index.ts';
import type { RecordOptions } from '../../src/recording/record.ts';

export interface Through {
  /** The address of the proxy. */
  readonly url: string;
  readonly path: string;
  readonly problems: string[];
  finish(): Promise<Recorded>;
}

export interface Server {
  readonly url: string;
  readonly crash: EmbeddedServer['crash'];
  /** Asks the server itself, as another user. */
  ask(sql: string): Promise<readonly Record<string, unknown>[]>;
  record(options?: Partial<RecordOptions>): Promise<Through>;
}

/** One server for the tests of a file. `schema` makes its tables. */
export function useServer(schema: string): Server {
  let embedded: EmbeddedServer;
  let folder: string;
  let files = 0;
  const ask = async (sql: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: embedded.address });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    embedded = await startEmbedded();
    folder = mkdtempSync(join(tmpdir(), 'isolab-record-'));
    await ask(schema);
  });

  afterAll(async () => {
    await embedded?.database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    get url() {
      return embedded.address;
    },
    crash: (signal) => embedded.crash(signal),
    ask,
    async record(options = {}) {
      const path = join(folder, `${files++}.jsonl`);
      const problems: string[] = [];
      const onProblem = (problem: string): void => void problems.push(problem);
      const running = await startRecord({ upstream: embedded.address, path, onProblem, ...options });
      const url = new URL(embedded.address);
      url.port = String(running.port);
      return { url: url.href, path, problems, finish: () => running.finish() };
    },
  };
}
