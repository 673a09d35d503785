import { runForTest, draws } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chronos } from '../src/index.ts';
import { type Level, drafts, hasTies, historyFrom, naive } from './support/stamped.ts';

const RUNS = Number(process.env['ISOLAB_RUNS'] ?? draws(3000));

/** Delays that mix all transactions, none beyond the time-out. */
const MIXED = { batch: 1, rate: 100, delay: 50, deviation: 40 };

describe.each<[Level, number]>([
  ['snapshot-isolation', 0],
  ['serializable', -3],
])('at %s', (level, shortest) => {
  test('the verdict is that of the definitions, in any order of transactions', async () => {
    const counts = { satisfied: 0, violated: 0, unknown: 0 };
    await fc.assert(
      fc.asyncProperty(drafts(shortest), fc.integer({ min: 1, max: 1000 }), async (drawn, seed) => {
        const history = historyFrom(drawn, level, false);
        fc.pre(level === 'serializable' || !hasTies(history));
        const verdict = await runForTest(chronos, history, level, {
          variant: 'aion',
          options: { ...MIXED, seed },
          certify: true,
        });
        counts[verdict.status]++;
        expect(verdict.status).toBe(naive(history, level) ? 'satisfied' : 'violated');
        const certificate =
          verdict.status === 'satisfied'
            ? verdict.certificate
            : verdict.status === 'violated'
              ? verdict.anomalies[0]!.certificate
              : undefined;
        expect(verifyCertificate(history, level, verdict.status as 'satisfied', certificate!)).toEqual({ ok: true });
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(counts.satisfied, counts.violated)).toBeGreaterThan(RUNS / 20);
  });

  test('it finds all violations of Chronos', async () => {
    const found = async (variant: string | null, history: ReturnType<typeof historyFrom>, seed: number) => {
      const options = { ...MIXED, seed };
      const verdict = await runForTest(chronos, history, level, { variant, findAll: true, options });
      if (verdict.status !== 'violated') return [];
      const named = verdict.anomalies.filter(({ pattern }) => pattern !== 'SESSION'); // the order decides which transactions of a session are reported
      return named
        .map(
          ({ pattern, name, transactions }) => `${pattern ?? name} ${transactions.toSorted((a, b) => a - b).join(' ')}`,
        )
        .toSorted();
    };
    await fc.assert(
      fc.asyncProperty(drafts(shortest), fc.integer({ min: 1, max: 1000 }), async (drawn, seed) => {
        const history = historyFrom(drawn, level, false);
        const expected = await found(null, history, seed);
        expect([...new Set(await found('aion', history, seed))]).toEqual([...new Set(expected)]);
      }),
      { numRuns: RUNS },
    );
  });

  test('garbage collection makes no verdict wrong', async () => {
    const counts = { satisfied: 0, violated: 0, unknown: 0 };
    await fc.assert(
      fc.asyncProperty(drafts(shortest), fc.integer({ min: 1, max: 1000 }), async (drawn, seed) => {
        const history = historyFrom(drawn, level, false);
        const options = { ...MIXED, seed, mostInMemory: 1, timeout: 20 };
        const { status } = await runForTest(chronos, history, level, { variant: 'aion', options });
        counts[status]++;
        if (status !== 'unknown') expect(status).toBe(naive(history, level) ? 'satisfied' : 'violated');
      }),
      { numRuns: RUNS },
    );
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(RUNS / 50);
  });
});
