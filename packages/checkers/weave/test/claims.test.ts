import type { LevelName } from '@isolab/contract';
import { fromPlain } from '@isolab/history';
import { observeForTest, prepare } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { byPace } from '../src/hints/pace.ts';
import { byClaimedTimes } from '../src/hints/hints.ts';
import { modelOf } from '../src/problem/model.ts';
import { weave } from '../src/weave.ts';

/** Session after session, each transaction with its reads, its writes, and the claims of the database. */
type Row = readonly [
  session: number,
  reads: Values,
  writes: Values,
  startTs: number,
  commitTs: number,
  version?: number,
];
type Values = readonly (readonly [key: string, value: number])[];

function inputOf(rows: readonly Row[]) {
  const numSessions = Math.max(...rows.map(([session]) => session)) + 1;
  const sessions = Array.from({ length: numSessions }, (_, s) => ({
    name: BigInt(s),
    transactions: rows
      .filter(([session]) => session === s)
      .map(([, reads, writes, startTs, commitTs, version]) => ({
        status: 'committed' as const,
        operations: [
          ...reads.map(([key, value]) => ({ kind: 'read' as const, key, value: BigInt(value) })),
          ...writes.map(([key, value]) => ({
            kind: 'write' as const,
            key,
            value: BigInt(value),
            ...(version !== undefined && { version: BigInt(version) }),
          })),
        ],
        startTs: BigInt(startTs),
        commitTs: BigInt(commitTs),
      })),
  }));
  return prepare(fromPlain({ initial: 0n, sessions }));
}

// Serializable, but the reader of x claims to have started after the second write had been committed.
const rows: readonly Row[] = [
  [0, [], [['x', 1]], 1, 10],
  [1, [], [['x', 2]], 11, 20],
  [2, [['x', 1]], [], 25, 26],
];

async function check(level: LevelName, claims: string, given = rows, findAll = false) {
  const { verdict } = await observeForTest(weave, inputOf(given), level, {
    options: { claims },
    certify: true,
    findAll,
  });
  return verdict;
}

describe('claims of the database', () => {
  test.each(['serializable', 'snapshot-isolation', 'causal'] as const)(
    'claims of the database that the reads contradict are warned of at %s where that is asked for, and leave the verdict as it is',
    async (level) => {
      for (const claims of ['guess', 'ignore']) expect(await check(level, claims)).not.toHaveProperty('warnings');
      expect(await check(level, 'check')).toMatchObject({
        status: 'satisfied',
        certificate: expect.anything(),
        warnings: [{ name: 'contradicted-timestamp', transactions: [0, 1, 2] }],
      });
      const skewed: readonly Row[] = [...rows, [3, [['y', 1]], [], 1, 2], [4, [], [['y', 1]], 5, 6]];
      expect(await check(level, 'check', skewed, true)).toMatchObject({ status: 'satisfied', warnings: [{}, {}] });
      expect((await check(level, 'check', skewed)).status).toBe('satisfied');
      const violated: readonly Row[] = [...rows, [3, [['z', 9]], [], 1, 2]];
      expect(await check(level, 'check', violated)).toMatchObject({ status: 'violated', warnings: [{}] });
      expect(await check(level, 'check', rows.slice(0, 2))).not.toHaveProperty('warnings');
    },
  );

  test('claims of the database are the order to begin with: of commits, or of snapshots where begins count', () => {
    const { history, index } = inputOf([
      [0, [], [['x', 1]], 5, 6],
      [0, [['y', 1]], [], 7, 20],
      [1, [], [['y', 1]], 1, 9],
    ]);
    const order = (level: LevelName) => byClaimedTimes(history, index, modelOf(level)!, byPace(history), 0.1);
    expect(order('serializable')).toEqual(Int32Array.of(0, 2, 1));
    expect(order('snapshot-isolation')).toEqual(Int32Array.of(2, 0, 1));
  });

  test('claims of the database are no guide where a read version would come later', () => {
    const { history, index } = inputOf([
      [0, [], [['x', 1]], 5, 6],
      [1, [['x', 1]], [], 1, 2],
    ]);
    expect(byClaimedTimes(history, index, modelOf('serializable')!, byPace(history), 0.1)).toBeNull();
  });

  test.each(['guess', 'ignore'])(
    'claims of the database of version numbers change no verdict, right or wrong (%s)',
    async (claims) => {
      const versions: readonly Row[] = [
        [0, [], [['x', 1]], 0, 0, 8],
        [1, [['x', 1]], [['x', 2]], 0, 0, 7],
        [2, [['x', 2]], [['x', 3]], 0, 0, 9],
      ];
      for (const level of ['serializable', 'snapshot-isolation'] as const) {
        expect((await check(level, claims, versions)).status).toBe('satisfied');
        const lost: readonly Row[] = [...versions, [3, [['x', 1]], [['x', 4]], 0, 0, 1]];
        expect((await check(level, claims, lost)).status).toBe('violated');
      }
    },
  );
});
