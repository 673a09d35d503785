import { fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plume } from '../src/index.ts';
import { plainHistories } from './support/arbitrary.ts';
import { naive } from './support/naive.ts';
import { instances, run } from './support/run.ts';

const SMALL = { sessions: 4, transactions: 7, operations: 4, keys: 3, uncertain: 12 };
const LEVELS = ['read-committed', 'read-atomic', 'causal'] as const;

describe.each(LEVELS)('%s', (level) => {
  test('Plume agrees with the definitions on small histories, pattern by pattern', () => {
    const verdicts = { satisfied: 0, violated: 0 };
    fc.assert(
      fc.property(plainHistories(SMALL), (plain) => {
        const expected = naive(plain, level);
        const all = run(fromPlain(plain), level, {}, { findAll: true });
        expect(all.verdict.status).toBe(expected.satisfied ? 'satisfied' : 'violated');
        expect(instances(all).filter((line) => /^TAP-[hiklmn]/.test(line))).toEqual(expected.triples);
        expect(instances(all).some((line) => line.startsWith('TAP-g'))).toBe(expected.coIsCyclic);
        verdicts[expected.satisfied ? 'satisfied' : 'violated']++;
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(verdicts.satisfied, verdicts.violated)).toBeGreaterThan(300);
  });

  test('the first instances are one of each pattern that there is', () => {
    fc.assert(
      fc.property(plainHistories(SMALL), (plain) => {
        const history = fromPlain(plain);
        const kinds = (lines: readonly string[]): string[] => lines.map((line) => line.split(' ')[0]!);
        const all = new Set(kinds(instances(run(history, level, {}, { findAll: true }))));
        expect(kinds(instances(run(history, level)))).toEqual([...all].toSorted());
      }),
      { numRuns: 500 },
    );
  });

  test('every variant, order and choice of edges finds the same', () => {
    const settings = [
      ...Object.values(plume.info.variants).map(({ options }) => options),
      ...(['tree', 'vector', 'none'] as const).flatMap((clocks) =>
        (['topological', 'round-robin'] as const).flatMap((order) =>
          (['latest', 'all'] as const).map((writers) => ({ clocks, order, writers })),
        ),
      ),
    ].filter((options) => !('asPublished' in options));
    fc.assert(
      fc.property(plainHistories({ ...SMALL, sessions: 8, transactions: 40, keys: 6 }), (plain) => {
        const history = fromPlain(plain);
        const expected = instances(run(history, level, {}, { findAll: true }));
        for (const options of settings) {
          const found = instances(run(history, level, options, { findAll: true }));
          expect({ options, found }).toEqual({ options, found: expected });
        }
      }),
      { numRuns: 300 },
    );
  });
});

test('cut isolation agrees with the definition: a key read twice shows one value', () => {
  fc.assert(
    fc.property(plainHistories(SMALL), (plain) => {
      const reads = instances(run(fromPlain(plain), 'read-atomic', {}, { findAll: true }));
      const expected = reads.filter((line) => line.startsWith('TAP-j'));
      expect(instances(run(fromPlain(plain), 'cut-isolation', {}, { findAll: true }))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

describe('the published tool', () => {
  const options = plume.info.variants['as-published']!.options;

  test('the published tool agrees at causal consistency', () => {
    fc.assert(
      fc.property(plainHistories(SMALL), (plain) => {
        expect(run(fromPlain(plain), 'causal', options).verdict.status).toBe(
          run(fromPlain(plain), 'causal').verdict.status,
        );
      }),
      { numRuns: 500 },
    );
  });

  test('the published tool rejects at read atomic all violations but stale initial reads in a session', () => {
    fc.assert(
      fc.property(plainHistories(SMALL), (plain) => {
        const expected = naive(plain, 'read-atomic');
        if (expected.satisfied || expected.triples.some((line) => line.startsWith('TAP-k -1'))) return;
        expect(run(fromPlain(plain), 'read-atomic', options).verdict.status).toBe('violated');
      }),
      { numRuns: 500 },
    );
  });
});
