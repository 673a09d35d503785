import { type LevelName, implies } from '@isolab/contract';
import { decide } from '@isolab/oracle';
import { type HistoryBounds, arbitraryHistory, certificateProblem, inputFor, observeForTest } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mtc } from '../src/index.ts';
import { levelsOf } from './support/run.ts';

const MINI: HistoryBounds = { readFirst: true, operations: 2, atLeast: 3 };

/** Mini-transactions only, unlike most of the histories of the conformance suite. */
const KINDS: Readonly<Record<string, HistoryBounds>> = {
  'two keys': { ...MINI, transactions: 6 },
  'three keys, with times': { ...MINI, transactions: 6, keys: 3, times: true },
  'stale snapshots': { ...MINI, transactions: 7, sessions: 5, stores: ['causal', 'prefix', 'snapshot-isolation'] },
  'real executions': { ...MINI, transactions: 6, times: true, stores: ['snapshot-isolation', 'serializable'] },
  'one key': { ...MINI, transactions: 7, operations: 1, keys: 1, times: true, aborted: true },
  'one key, hardly disturbed': {
    ...MINI,
    transactions: 7,
    keys: 1,
    times: true,
    disturbances: 1,
    stores: ['serializable'],
  },
  'operations on two keys': {
    ...MINI,
    transactions: 7,
    operations: 1,
    times: true,
    stores: ['serializable', 'prefix'],
  },
  'unknown outcomes': { ...MINI, transactions: 6, operations: 1, times: true, unknown: true, aborted: true },
};

describe.each(Object.entries(KINDS))('on %s', (_, bounds) => {
  test('MTC agrees with the oracle, in every variant and with a proof of every verdict', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(arbitraryHistory(bounds), async (history) => {
        const input = inputFor(mtc, history);
        for (const level of levelsOf(history)) {
          const expected = decide(history, level).satisfied ? 'satisfied' : 'violated';
          for (const run of [{}, { findAll: true }, { variant: 'all-pairs' }]) {
            const { verdict } = await observeForTest(mtc, input, level, { ...run, certify: true });
            if (verdict.status === 'unknown') continue; // not a mini-transaction
            expect([level, verdict.status]).toEqual([level, expected]);
            expect(certificateProblem(input, level, verdict, 'both')).toBeNull();
            seen.add(verdict.status);
          }
        }
      }),
      { numRuns: 150, seed: 3 },
    );
    expect([...seen].toSorted()).toEqual(['satisfied', 'violated']);
  });
});

test('on larger histories, stronger levels imply weaker ones, variants agree and certificates hold', async () => {
  const larger = { readFirst: true, operations: 2, atLeast: 20, transactions: 60, keys: 5, sessions: 6, times: true };
  const count = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        arbitraryHistory({ ...larger, disturbances: 1, stores: ['serializable', 'snapshot-isolation'] }),
        arbitraryHistory({ ...larger, operations: 1, disturbances: 1, stores: ['serializable'] }),
      ),
      async (history) => {
        const input = inputFor(mtc, history);
        const statuses = new Map<LevelName, string>();
        for (const level of levelsOf(history)) {
          const runs = [{}, { findAll: true }, { variant: 'all-pairs' }];
          const verdicts = await Promise.all(
            runs.map(async (run) => (await observeForTest(mtc, input, level, { ...run, certify: true })).verdict),
          );
          for (const verdict of verdicts) {
            expect(verdict.status).toBe(verdicts[0]!.status);
            expect(certificateProblem(input, level, verdict, 'both')).toBeNull();
          }
          statuses.set(level, verdicts[0]!.status);
          const told = `${level} ${verdicts[0]!.status}`;
          count.set(told, (count.get(told) ?? 0) + 1);
        }
        for (const [strong, status] of statuses)
          for (const [weak, other] of statuses)
            if (implies(strong, weak) && status === 'satisfied') expect([weak, other]).toEqual([weak, 'satisfied']);
      },
    ),
    { numRuns: 150, seed: 5 },
  );
  for (const level of mtc.info.levels)
    for (const status of ['satisfied', 'violated']) expect(count.get(`${level} ${status}`) ?? 0).toBeGreaterThan(3);
});
