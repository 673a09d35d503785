import { fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LevelName } from '@isolab/contract';
import { problemOf } from './support/certificates.ts';
import { isSerialOrder, isSnapshotOrder, worlds } from './support/naive-store.ts';
import { randomExecutions } from './support/random-executions.ts';
import { eventOrders, permutations } from './support/random-histories.ts';

const SERIAL: readonly LevelName[] = ['plain-serializable', 'serializable', 'strict-serializable'];
const SNAPSHOTS: readonly LevelName[] = ['prefix', 'adya-snapshot-isolation', 'snapshot-isolation'];

describe.each(['registers', 'lists'] as const)('the verifier agrees with a store of %s', (kind) => {
  test.each(SERIAL)('on every permutation of possible transactions, at %s', (level) => {
    const counts = { true: 0, false: 0 };
    fc.assert(
      fc.property(randomExecutions(kind, 4), (plain) => {
        const history = fromPlain(plain);
        for (const order of worlds(plain).flatMap((world) => [...permutations(world)])) {
          const expected = isSerialOrder(plain, level, order);
          const problem = problemOf(history, level, 'satisfied', { kind: 'commit-order', order });
          expect({ order, holds: problem === null }).toEqual({ order, holds: expected });
          counts[`${expected}`]++;
        }
      }),
      { numRuns: 100, seed: 100 },
    );
    expect(Math.min(counts.true, counts.false)).toBeGreaterThan(50);
  });

  test.each(SNAPSHOTS)('on every order of events, at %s', (level) => {
    const counts = { true: 0, false: 0 };
    fc.assert(
      fc.property(randomExecutions(kind, 3), (plain) => {
        const history = fromPlain(plain);
        for (const events of worlds(plain).flatMap((world) => [...eventOrders(world)])) {
          const expected = isSnapshotOrder(plain, level, events);
          const problem = problemOf(history, level, 'satisfied', { kind: 'event-order', events });
          expect({ events, holds: problem === null }).toEqual({ events, holds: expected });
          counts[`${expected}`]++;
        }
      }),
      { numRuns: 60, seed: 60 },
    );
    expect(Math.min(counts.true, counts.false)).toBeGreaterThan(50);
  });
});
