import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpKind, TxnStatus, buildReadFrom, findInternalAnomalies, nameAtom } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CollectorOptions,
  type EmbeddedServer,
  collect,
  driverFor,
  isolationNamed,
  startEmbedded,
} from '../src/index.ts';

import { readBack } from './fake.ts';

let server: EmbeddedServer;
const folder = mkdtempSync(join(tmpdir(), 'isolab-embedded-'));

beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(() => server?.database.close(), 60_000);

async function run(
  workload: string,
  isolation: string,
  given: Record<string, string>,
  options: Partial<CollectorOptions> = {},
) {
  const found = findWorkload(workload)!;
  const path = join(folder, `${workload}-${isolation}.jsonl`);
  const counts = await collect({
    database: server.database,
    isolation: isolationNamed(await driverFor('embedded'), isolation),
    workload: found,
    parameters: resolveParameters(found, given),
    sessions: 5,
    transactions: 10,
    seed: 1,
    path,
    ...options,
  });
  const history = await readBack(path);
  const index = buildReadFrom(history);
  return { counts, history, index, internal: findInternalAnomalies(history, index) };
}

const isWrite = (kind: number): boolean => kind === OpKind.Write || kind === OpKind.Append;

describe('a real PostgreSQL', () => {
  test.each([
    ['general', 'serializable', { keys: '10', operations: '4' }],
    ['general', 'read committed', { keys: '200', operations: '4' }],
    ['list-append', 'serializable', {}],
    ['ranges', 'serializable', { keys: '30', operations: '4' }],
    ['mini-transactions', 'repeatable read', { keys: '10' }],
    ['tpcc', 'serializable', { items: '30', customers: '5', districts: '2' }],
  ])('%s at %s: every read saw something that was written', async (workload, isolation, given) => {
    const { counts, history, index } = await run(workload, isolation, given as Record<string, string>);
    expect(counts.committed).toBe(50);
    expect(history.source.database).toMatch(/^PostgreSQL \d+/);
    expect([...index.readFrom].filter((from) => from === -2)).toEqual([]);
    expect(index.repeatedWrites).toBe(0);
  });

  test.each([
    ['general', { keys: '10', operations: '4' }],
    ['list-append', { keys: '10' }],
  ])('%s: keys with a row, but no value, are read as their initial state', async (workload, given) => {
    const { counts, history, index } = await run(workload, 'serializable', given as Record<string, string>, {
      layout: 'filled=10',
    });
    expect(counts.committed).toBe(50);
    expect([...index.readFrom].filter((from) => from === -2)).toEqual([]);
    expect([...index.readFrom]).toContain(-1);
    expect(history.txnStatus.length).toBe(50 + counts.aborted); // no transaction of the history made the rows
  });

  test.each(['general', 'list-append'])('%s has locks, savepoints and changes of no row', async (workload) => {
    const shares = { 'locking-reads': '0.5', savepoints: '0.3', 'empty-changes': '0.3', 'early-snapshots': '0.5' };
    const { counts, history, index } = await run(workload, 'repeatable read', { keys: '10', ...shares });
    expect(counts.committed).toBe(50);
    expect([...index.readFrom].filter((from) => from === -2)).toEqual([]);
    // A history does not contain writes that ROLLBACK TO SAVEPOINT has undone.
    const written = Array.from(history.opValue.keys()).filter((op) => isWrite(history.opKind[op]!));
    const values = written.map((op) => Number(nameAtom(history.values, history.opValue[op]!)));
    expect(Math.max(...values)).toBeLessThan(1e6);
  });

  test('rows of keys are made only where the workload has none of its own', async () => {
    await expect(run('ranges', 'serializable', {}, { layout: 'filled=10' })).rejects.toThrow('its own rows');
  });

  test('a server that is killed in the middle leaves a history that can be read, and is found again', async () => {
    let crashed: Promise<void> | null = null;
    const { counts, history } = await run(
      'general',
      'serializable',
      { keys: '1000', operations: '6' },
      {
        transactions: 60,
        onProgress: ({ committed }) => {
          if (committed === 60) crashed ??= server.crash();
        },
      },
    );
    await crashed;
    expect(counts.committed).toBe(300);
    expect(history.txnStatus.filter((status) => status === TxnStatus.Unknown).length).toBe(counts.unknown);
    expect(counts.aborted + counts.unknown).toBeGreaterThan(0);
    const { readFrom } = buildReadFrom(history);
    expect([...readFrom].filter((from) => from === -2)).toEqual([]);
  });
});
