/** An engine in Java through its driver program, as a user asks for it. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { describe, expect, test } from 'vitest';
import { collect, driverFor, isolationNamed } from '../src/index.ts';
import { readBack } from './fake.ts';
import { unlessFetched } from './fetched.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-engines-test-'));

describe('h2@2.4.240', { ...(await unlessFetched('h2@2.4.240')) }, () => {
  test.each(['list-append', 'mini-transactions'])(
    'h2@2.4.240 serves %s with all sessions in one process',
    async (name) => {
      const driver = await driverFor('h2@2.4.240');
      const database = await driver.open('h2@2.4.240', { connectMs: 30_000 });
      const path = join(folder, `${name}.jsonl`);
      const workload = findWorkload(name)!;
      try {
        expect(database.description).toMatch(/^H2 2\.4\.240/);
        const given = { database, isolation: isolationNamed(driver, 'snapshot'), workload, path, seed: 1 };
        await collect({ ...given, parameters: resolveParameters(workload, {}), sessions: 4, transactions: 20 });
      } finally {
        await database.close();
      }
      const history = await readBack(path);
      expect([...history.txnStatus].filter((status) => status === 0)).toHaveLength(80);
      expect(findInternalAnomalies(history, buildReadFrom(history)).count).toBe(0);
    },
  );
});
