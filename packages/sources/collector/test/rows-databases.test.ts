import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpKind, buildReadFrom, toRegisters } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, collect, driverFor, isolationNamed } from '../src/index.ts';
import { LIMITS, readBack } from './fake.ts';
import { unlessFetched } from './fetched.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-rows-'));
const WORKLOADS = ['rows', 'doctors', 'booking', 'bank-audit', 'intersecting', 'batch'];

const engines = [
  { name: 'embedded', skipping: {} },
  ...(await Promise.all(
    (['sqlite@3.53.2', 'duckdb@1.5.6'] as const).map(async (name) => ({ name, skipping: await unlessFetched(name) })),
  )),
];

describe.each(engines)('$name', ({ name, skipping }) => {
  let database: Database;
  beforeAll(async () => {
    database = await (await driverFor(name)).open(name, LIMITS);
  });
  afterAll(() => database?.close(), 60_000);

  test.each(WORKLOADS)('%s: every version that was read has a writer', skipping, async (workload) => {
    const driver = await driverFor(name);
    const found = findWorkload(workload)!;
    const path = join(folder, `${workload}-${name}.jsonl`);
    const counts = await collect({
      database,
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
