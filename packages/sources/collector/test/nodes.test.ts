import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { describe, expect, test } from 'vitest';
import { type CollectorOptions, type Database, collect } from '../src/index.ts';
import { SERIAL, fakeDatabase, readBack } from './fake.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-nodes-'));
let files = 0;

async function run(nodes: readonly Database[], given: Partial<CollectorOptions> = {}) {
  const workload = findWorkload('general')!;
  const path = join(folder, `${files++}.jsonl`);
  const parameters = resolveParameters(workload, { keys: '5', operations: '3' });
  const shared = { isolation: SERIAL, workload, parameters, sessions: 5, transactions: 4, seed: 1, path };
  const counts = await collect({ ...shared, database: nodes[0]!, nodes, connectMs: 500, ...given });
  return { path, counts };
}

/** Another way to the same data, which counts its connections. */
function way(to: Database, name: string) {
  const counted = { connections: 0, prepared: [] as boolean[] };
  const database: Database = {
    ...to,
    description: name,
    prepare: async (_, keep) => void counted.prepared.push(keep),
    connect: (isolation) => {
      counted.connections++;
      return to.connect(isolation);
    },
  };
  return { database, counted };
}

describe('several nodes', () => {
  test('several nodes take sessions in turn, and the history says which', async () => {
    const shared = fakeDatabase();
    const [a, b] = [way(shared, 'node a'), way(shared, 'node b')];
    const { path } = await run([a.database, b.database]);
    expect(a.counted).toEqual({ connections: 3 + 3, prepared: [false] }); // three sessions; the mark, the padding, and the mark again
    expect(b.counted).toEqual({ connections: 2 + 1, prepared: [true] }); // two sessions; the mark
    const [header] = readFileSync(path, 'utf8').split('\n');
    expect(JSON.parse(header!)).toMatchObject({
      collected: {
        nodes: [
          { database: 'node a', sessions: [0, 2, 4] },
          { database: 'node b', sessions: [1, 3] },
        ],
      },
    });
    expect((await readBack(path)).txnStatus.length).toBe(20);
  });

  test('several nodes that hold other data are refused', async () => {
    await expect(run([fakeDatabase(), fakeDatabase()])).rejects.toThrow(
      'Node 2 (fake) did not show a write of the first node within 0.5 seconds. All nodes must belong to one database.',
    );
  });
});

describe('a time', () => {
  test.each([false, true])('a time ends a collection without a number of transactions (retry: %o)', async (retry) => {
    const begin = performance.now();
    // Nearly all, but not enough in a row that a session gives up before the time is over. The sessions commit in turn,
    // so one in 50 would be the same session each time; 47 has no factor in common with their number.
    const refuse = retry ? Array.from({ length: 1_000_000 }, (_, commit) => commit).filter((c) => c % 47 !== 0) : [];
    const { path, counts } = await run([fakeDatabase({ refuse })], { transactions: Infinity, seconds: 0.3, retry });
    expect(performance.now() - begin).toBeLessThan(3_000);
    expect(counts.committed).toBeGreaterThan(0);
    expect((await readBack(path)).source.notes['cutOffAfterLine']).toBeUndefined(); // it is whole
  });
});
