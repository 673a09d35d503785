// Slow: kills, stops and cuts off a PostgreSQL that it starts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, Proxies, collect as record, driverFor } from '@isolab/collector';
import { faultsOf } from '@isolab/formats';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { afterAll, describe, expect, test } from 'vitest';
import { check, open } from '../src/index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'isolab-faults-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Collects from a PostgreSQL of our own under faults, and gives the verdict and the faults that struck. */
async function judged(name: string, kinds: readonly ('kill' | 'pause' | 'reset' | 'cut')[], lying = false) {
  const driver = await driverFor('embedded');
  const proxies = new Proxies();
  const database = await driver.open('embedded', { connectMs: 20_000, proxies });
  const file = path.join(folder, `${name}.jsonl`);
  const workload = findWorkload('list-append')!;
  const counts = await record({
    database: lying ? forgetful(database) : database,
    proxies,
    isolation: driver.isolations.at(-1)!,
    workload,
    parameters: resolveParameters(workload, { keys: '4', distribution: 'uniform' }),
    sessions: 4,
    transactions: Infinity,
    seconds: 4,
    seed: 1,
    path: file,
    faults: { kinds, everyMs: 700 },
  });
  await database.close();
  await proxies.close();
  const opened = await open(file);
  const { verdict } = await check(opened, { level: 'serializable' });
  return { verdict, counts, struck: faultsOf(opened.prepared.history) };
}

/** Says of some transactions that they committed, and undoes them. */
function forgetful(database: Database): Database {
  let commits = 0;
  return {
    ...database,
    async connect(isolation) {
      const connection = await database.connect(isolation);
      return { ...connection, commit: () => (++commits % 10 === 0 ? connection.rollback() : connection.commit()) };
    },
  };
}

describe('a PostgreSQL that is struck', () => {
  test.each([
    ['kill -9', ['kill']],
    ['pauses and resets', ['pause', 'reset', 'cut']],
  ] as const)('%s: it keeps serializability', async (name, kinds) => {
    const { verdict, counts, struck } = await judged(name, kinds);
    expect(struck.length).toBeGreaterThan(1);
    expect(struck.every(({ kind, end }) => (kinds as readonly string[]).includes(kind) && end !== null)).toBe(true);
    expect(counts.committed).toBeGreaterThan(20);
    expect(verdict).toBe('satisfied');
  });

  test('faults hide no lie', async () => {
    const { verdict, struck } = await judged('lying', ['kill'], true);
    expect(struck.length).toBeGreaterThan(1);
    expect(verdict).toBe('violated');
  });
});
