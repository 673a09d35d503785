import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEngine, isFetched } from '@isolab/engines';
import { OpKind, buildReadFrom, toRegisters } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, collect, driverFor, isolationNamed } from '../src/index.ts';
import { LIMITS, readBack } from './fake.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-rows-'));
const WORKLOADS = ['rows', 'doctors', 'booking', 'bank-audit', 'intersecting', 'batch'];

/** What was not fetched before is not fetched by a test. */
const NAMES = ['embedded', 'sqlite@3.53.2', 'duckdb@1.5.6'];
const engines = await Promise.all(
  NAMES.map(async (name) => ({
    name,
    title: (await isFetched(findEngine(name))) ? name : `${name}: skipped, not fetched`,
  })),
);

describe.each(engines)('$title', { timeout: 120_000 }, ({ name, title }) => {
  let database: Database | null = null;
  beforeAll(async () => {
    if (title === name) database = await (await driverFor(name)).open(name, LIMITS);
  }, 120_000);
  afterAll(() => database?.close(), 60_000);

  test.skipIf(title !== name).each(WORKLOADS)('%s: every version that was read has a writer', async (workload) => {
    const driver = await driverFor(name);
    const found = findWorkload(workload)!;
    const path = join(folder, `${workload}-${name}.jsonl`);
    const counts = await collect({
      database: database!,
      isolation: isolationNamed(driver, driver.isolations.at(-1)!.name),
      workload: found,
      parameters: resolveParameters(found, workload === 'rows' ? { reuse: '0.3' } : {}),
      sessions: 3,
      transactions: 8,
      finalReads: true,
      seed: 1,
      path,
    });
    expect(counts.committed).toBe(24);
    const history = await readBack(path);
    expect(history.opKind.includes(OpKind.Scan)).toBe(true);
    for (const each of [history, toRegisters(history).history])
      expect([...buildReadFrom(each).readFrom].filter((from) => from === -2)).toEqual([]);
  });
});
