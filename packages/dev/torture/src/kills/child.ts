/** A collector to be killed: it records the commits that the database confirmed before the collector receives them. */
import { openSync, writeSync } from 'node:fs';
import process from 'node:process';
import { type Connection, type Database, collect, driverFor, isolationNamed } from '@isolab/collector';
import { findWorkload, resolveParameters } from '@isolab/workloads';

export interface Job {
  readonly address: string;
  readonly isolation: string;
  readonly workload: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly transactions: number;
  readonly seed: string;
  readonly path: string;
  readonly resume: boolean;
  /** File with the writes of confirmed transactions: a line of `key value` each. */
  readonly ledger: string;
}

/** Message to the parent process. */
export type Said = { readonly kind: 'ready' | 'begun' | 'done' } | { readonly kind: 'failed'; readonly why: string };

const say = (said: Said): void => void process.send?.(said);

process.once('message', (job) => {
  work(job as Job).then(
    () => process.disconnect(),
    (error: unknown) => {
      say({ kind: 'failed', why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      process.disconnect();
    },
  );
});
say({ kind: 'ready' });

async function work(job: Job): Promise<void> {
  const driver = await driverFor(job.address);
  const database = await driver.open(job.address, { connectMs: 10_000 });
  const workload = findWorkload(job.workload)!;
  let hasBegun = false;
  await collect({
    database: told(database, openSync(job.ledger, 'a')),
    isolation: isolationNamed(driver, job.isolation),
    workload,
    parameters: resolveParameters(workload, job.settings),
    sessions: 8,
    transactions: job.transactions,
    seed: job.seed,
    path: job.path,
    resume: job.resume,
    onProgress: () => {
      if (!hasBegun) say({ kind: 'begun' });
      hasBegun = true;
    },
  });
  await database.close();
  say({ kind: 'done' });
}

/** Wraps the database so that it records its confirmed commits. */
const told = (database: Database, ledger: number): Database => ({
  ...database,
  async connect(isolation) {
    const connection = await database.connect(isolation);
    let written: string[] = [];
    return {
      ...connection,
      async begin() {
        written = [];
        await connection.begin();
      },
      ask(question) {
        const writes = question.kind === 'write' || question.kind === 'append';
        if (writes && question.key !== -1) written.push(`${question.key} ${question.value}\n`);
        return connection.ask(question);
      },
      async commit() {
        await connection.commit();
        writeSync(ledger, written.join(''));
      },
    } satisfies Connection;
  },
});
