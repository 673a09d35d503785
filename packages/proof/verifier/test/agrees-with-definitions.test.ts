import { fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LevelName } from '@isolab/contract';
import { problemOf } from './support/certificates.ts';
import { isCommitOrder, isEventOrder, modelOf } from './support/definitions.ts';
import { derivedCycles } from './support/derived-cycles.ts';
import { eventOrders, permutations, randomHistories } from './support/random-histories.ts';

/** ISOLAB_LONG draws all, and other runs a half. */
const SHARE = process.env['ISOLAB_LONG'] === undefined ? 2 : 1;

const SERIAL: readonly LevelName[] = [
  'read-committed-pl2',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
  'plain-serializable',
  'serializable',
  'strict-serializable',
];

const EVENTS: readonly LevelName[] = [
  'prefix',
  'adya-snapshot-isolation',
  'generalized-snapshot-isolation',
  'snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
];

// Violations of these are rare in small histories.
const WITHOUT_SESSIONS: readonly LevelName[] = ['read-committed-pl2', 'plain-serializable', 'adya-snapshot-isolation'];

describe('the verifier agrees with the definitions', () => {
  test.each(SERIAL)(
    'the verifier agrees with the definitions on every permutation of small histories at %s',
    (level) => {
      const counts = { true: 0, false: 0 };
      fc.assert(
        fc.property(randomHistories({ maxTransactions: 5, times: true }), (plain) => {
          const history = fromPlain(plain);
          const model = modelOf(plain);
          for (const order of permutations(model.committed)) {
            const expected = isCommitOrder(model, level, order);
            expect(problemOf(history, level, 'satisfied', { kind: 'commit-order', order }) === null).toBe(expected);
            counts[`${expected}`]++;
          }
        }),
        { numRuns: 100 / SHARE, seed: 1 },
      );
      expect(Math.min(counts.true, counts.false)).toBeGreaterThan(10);
    },
  );

  test.each(EVENTS)(
    'the verifier agrees with the definitions on random orders of events of small histories at %s',
    (level) => {
      const counts = { true: 0, false: 0 };
      fc.assert(
        fc.property(randomHistories({ maxTransactions: 3, times: true }), (plain) => {
          const history = fromPlain(plain);
          const model = modelOf(plain);
          for (const events of permutations(model.committed.flatMap((t) => [2 * t, 2 * t + 1]))) {
            const expected = isEventOrder(model, level, events);
            expect(problemOf(history, level, 'satisfied', { kind: 'event-order', events }) === null).toBe(expected);
            counts[`${expected}`]++;
          }
        }),
        { numRuns: 60 / SHARE, seed: 1 },
      );
      expect(Math.min(counts.true, counts.false)).toBeGreaterThan(10);
    },
  );

  test.each([...SERIAL, ...EVENTS])('the verifier accepts no cycle where an order exists, at %s', (level) => {
    let accepted = 0;
    fc.assert(
      fc.property(randomHistories({ maxTransactions: 4, times: true }), (plain) => {
        const history = fromPlain(plain);
        const model = modelOf(plain);
        const cycle = derivedCycles(model).find((one) => problemOf(history, level, 'violated', one) === null);
        if (cycle === undefined) return;
        accepted++;
        const order = EVENTS.includes(level)
          ? [...eventOrders(model.committed)].find((events) => isEventOrder(model, level, events))
          : [...permutations(model.committed)].find((one) => isCommitOrder(model, level, one));
        expect({ cycle, order }).toEqual({ cycle, order: undefined });
      }),
      { numRuns: WITHOUT_SESSIONS.includes(level) ? 500 : 120, seed: 1 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});
