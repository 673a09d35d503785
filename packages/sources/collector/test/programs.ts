import { buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { expect } from 'vitest';
import { collect, driverFor } from '../src/index.ts';
import { readBack } from './fake.ts';

/** Workloads of lists, registers and rows. */
export const WORKLOADS = ['list-append', 'mini-transactions', 'ranges'] as const;

/** Engines that are small enough to be fetched before all tests. */
export const STARTED = [
  'h2@2.4.240',
  'berkeleydb@18.3.12',
  'mapdb@1.0.9',
  'multiverse@0.7.0',
  'firebird@5.0.4',
  'zodb@6.4',
  'lmdb@3.0.0',
] as const;

/** Collects a short history at the engine's strongest level, and expects that its reads are of its writes. */
export async function expectHistory(name: string, workloadName: string, path: string): Promise<void> {
  const driver = await driverFor(name);
  const database = await driver.open(name, { connectMs: 60_000 });
  const workload = findWorkload(workloadName)!;
  const isolation = driver.isolations.at(-1)!;
  const [, version = ''] = name.split('@');
  try {
    expect(database.description).toContain(version);
    const given = { database, isolation, workload, path, seed: 1 };
    await collect({ ...given, parameters: resolveParameters(workload, {}), sessions: 3, transactions: 10 });
  } finally {
    await database.close();
  }
  const history = await readBack(path);
  expect([...history.txnStatus].filter((status) => status === 0).length).toBeGreaterThanOrEqual(30);
  expect(findInternalAnomalies(history, buildReadFrom(history)).count).toBe(0);
}
