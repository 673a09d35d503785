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

async function check(level: LevelName, claims: string, given: readonly Row[]) {
  const { verdict } = await observeForTest(weave, inputOf(given), level, {
    options: { claims },
    certify: true,
  });
  return verdict;
}

describe('claims of the database', () => {
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
