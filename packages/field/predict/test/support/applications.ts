/** Records the applications of test/applications on a database, predicts from the recordings, and confirms. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRecord } from '@isolab/record';
import { statementsIn } from '@isolab/record/statements';
import { certificate, open, verify } from 'isolab';
import { check } from 'isolab/check';
import { connect } from '../../src/command/clients.ts';
import { type Confirmation, CommandRuns, freshDatabase, predict } from '../../src/index.ts';

export const APPLICATIONS = [
  'shop',
  'bank',
  'seats',
  'doctors',
  'inventory',
  'coupons',
  'likes',
  'voting',
  'courses',
  'jobs',
] as const;

const folder = mkdtempSync(join(tmpdir(), 'isolab-applications-'));
let databases = 0;

const urlOf = (name: string): URL => new URL(`../applications/${name}.mjs`, import.meta.url);

function through(upstream: string, port: number): string {
  const url = new URL(upstream);
  url.port = String(port);
  return url.href;
}

/** Creates a database with the tables of an application. */
async function databaseOf(server: string, name: string): Promise<string> {
  const { tables } = (await import(urlOf(name).href)) as { readonly tables: readonly string[] };
  const address = await freshDatabase(server, `${name}_${++databases}`);
  const client = await connect(address);
  for (const sql of tables) await client.execute(sql, []);
  await client.end();
  return address;
}

/** Runs an application; returns its exit code. */
function run(name: string, upstream: string, port: number, signal: AbortSignal): Promise<number> {
  const url = through(upstream, port).replace(/^mariadb:/, 'mysql:');
  return new Promise((resolve) => {
    const env = { ...process.env, DATABASE_URL: url };
    const child = spawn(process.execPath, [fileURLToPath(urlOf('run')), name], { env, stdio: 'ignore' });
    signal.addEventListener('abort', () => child.kill('SIGKILL'));
    child.on('close', (code) => resolve(code ?? 128));
  });
}

export interface Told {
  readonly name: string;
  readonly anomaly: string;
  readonly confirmation: Confirmation;
}

/** Returns the outcomes of the predictions of an application; throws if something about them is wrong. */
export async function confirmed(server: string, name: string): Promise<readonly Told[]> {
  const never = new AbortController().signal;
  const recording = join(folder, `${name}-${databases}.jsonl`);
  const upstream = await databaseOf(server, name);
  const recorded = await startRecord({ upstream, path: recording });
  const code = await run(name, upstream, recorded.port, never);
  await recorded.finish();
  const opened = await open(recording);
  if (code !== 0 || opened.kind !== 'history') throw new Error(`${name} ended with ${code}`);
  const stronger = 'serializable';
  const { predictions } = await predict(opened.history, {
    weaker: 'oracle-read-committed',
    stronger,
    boundary: 'data-flow',
    statements: await statementsIn(recording),
  });
  const command = {
    database: () => databaseOf(server, name),
    through,
    run: (address: string, port: number, signal: AbortSignal) => run(name, address, port, signal),
  };
  const runs = await CommandRuns.begin({ command, recording, stronger, signal: never });
  const told: Told[] = [];
  for (const prediction of predictions) {
    const confirmation = await runs.confirm(prediction, async (path) => {
      const again = await open(path);
      const result = await check(again, { level: stronger });
      const evidence = certificate(again, result);
      if (result.verdict !== 'violated' || !verify(again, evidence).ok)
        throw new Error(`${path} is no violation that the verifier accepts.`);
    });
    told.push({ name, anomaly: prediction.anomaly, confirmation });
  }
  runs.end();
  return told;
}
