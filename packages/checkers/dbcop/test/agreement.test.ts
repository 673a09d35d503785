import { TestContext, draws } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEVELS } from '../src/levels.ts';
import { SEARCH_LEVELS } from '../src/search/steps.ts';
import { expectCertified } from './support/certificates.ts';
import { Naive } from './support/naive.ts';
import { forks, tinyHistories } from './support/random-histories.ts';
import { check } from './support/run.ts';

/** Distributions of keys among sessions: all the same; a chain of sessions; a star with private keys. */
const SHARINGS: readonly (readonly [string, (session: number) => readonly number[]])[] = [
  ['all sessions share all keys', () => [0, 1]],
  ['sessions share keys with their neighbours only', (s) => [s, s + 1]],
  ['sessions share keys with the first only, and have one of their own', (s) => (s === 0 ? [0, 1, 2, 3] : [s, 10 + s])],
  ['all sessions share one key', (s) => [0, 1 + s]],
];

describe.each(LEVELS)('%s', (level) => {
  describe.each(SHARINGS)('where %s, every search', (_, keysOf) => {
    test.each([false, true])(
      'the search agrees with trying every order, and proves it (decompose: %s)',
      (decompose) => {
        const seen = { satisfied: 0, internal: 0, cycle: 0 };
        fc.assert(
          fc.property(tinyHistories({ maxSessions: 4, keysOf }), fc.boolean(), (history, findAll) => {
            const verdict = check(history, level, { decompose }, new TestContext({ findAll }));
            expect(verdict.status).toBe(new Naive(history).satisfies(level) ? 'satisfied' : 'violated');
            expectCertified(history, level, verdict);
            const found = verdict.status === 'violated' ? verdict.anomalies.map((a) => a.certificate?.kind) : [];
            if (found.includes('cycle')) seen.cycle++;
            else if (found.includes('internal')) seen.internal++;
            else if (verdict.status === 'satisfied') seen.satisfied++;
          }),
          { numRuns: draws(100) },
        );
        // All three kinds of answers were put to the test.
        expect(Math.min(seen.satisfied, seen.internal, seen.cycle)).toBeGreaterThan(0);
      },
    );
  });
});

describe.each(SEARCH_LEVELS)('%s, of many short sessions', (level) => {
  test.each([
    ['with eager steps', {}],
    ['without', { eager: false }],
    ['by components', { decompose: true }],
  ])('a history of many short sessions is searched correctly, %s', (_, options) => {
    const seen = { satisfied: 0, search: 0, lostUpdate: 0 };
    fc.assert(
      fc.property(forks(), (history) => {
        const verdict = check(history, level, options);
        expect(verdict.status).toBe(new Naive(history).satisfies(level) ? 'satisfied' : 'violated');
        expectCertified(history, level, verdict);
        if (verdict.status === 'satisfied') seen.satisfied++;
        else if (verdict.status === 'violated') {
          if (verdict.anomalies[0]!.certificate === undefined) seen.search++;
          if (verdict.anomalies[0]!.name === 'lost-update') seen.lostUpdate++;
        }
      }),
      { numRuns: 250, seed: 1 },
    );
    expect(seen.satisfied).toBeGreaterThan(50);
    expect(seen.search).toBeGreaterThan(10);
    if (level !== 'prefix') expect(seen.lostUpdate).toBeGreaterThan(5);
  });
});
