import { arbitraryHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fencedHistory } from './support/fenced-histories.ts';
import { run } from './support/run.ts';

describe('epoch by epoch', () => {
  test('it gives the verdict of one piece, on small histories with fences', async () => {
    const statuses = { satisfied: 0, violated: 0, unknown: 0 };
    for (let seed = 1; seed <= 240; seed++) {
      const history = fencedHistory({
        seed,
        sessions: 2 + (seed % 3),
        txnsPerSession: 12 + (seed % 7),
        fenceEvery: 2 + (seed % 3),
        keys: 2 + (seed % 4),
        opsPerTxn: 1 + (seed % 3),
        staleness: [0, 0.02, 0.05, 0.2][(seed >> 2) % 4]!,
      });
      const whole = (await run(history, 'serializable')).verdict.status;
      const fenced = await run(history, 'serializable', { fenceKey: 'fence', fencesPerEpoch: 1 + (seed % 5) });
      expect(fenced.verdict.status, `seed ${seed}`).toBe(whole);
      statuses[whole]++;
    }
    expect(Math.min(statuses.satisfied, statuses.violated)).toBeGreaterThan(60);
  });

  test('the verdict by epochs is that of one piece, for all fences', async () => {
    // Any key will do for fences: keys that are not read and written in turns only order less.
    const histories = arbitraryHistory({ sessions: 3, transactions: 14, keys: 3, atLeast: 6, readFirst: true });
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom('x', 'y', 'z'), async (history, fenceKey) => {
        const whole = (await run(history, 'serializable')).verdict.status;
        expect((await run(history, 'serializable', { fenceKey, fencesPerEpoch: 1 })).verdict.status).toBe(whole);
      }),
      { numRuns: 150, seed: 5 },
    );
  });

  test.each([
    ['no pruning', { prune: false }],
    ['pruning to a fixpoint', { rounds: 0 }],
    ['no combining', { combine: false }],
    ['no coalescing', { coalesce: false }],
    ['no decomposition', { decompose: false }],
  ])('epoch by epoch agrees with %s, too', async (_, options) => {
    for (let seed = 1; seed <= 60; seed++) {
      const bounds = { sessions: 3, txnsPerSession: 12, fenceEvery: 3, keys: 4, opsPerTxn: 2 };
      const history = fencedHistory({ seed, ...bounds, staleness: seed % 2 === 0 ? 0.05 : 0 });
      const whole = (await run(history, 'serializable')).verdict.status;
      const fenced = await run(history, 'serializable', { ...options, fenceKey: 'fence', fencesPerEpoch: 2 });
      expect(fenced.verdict.status, `seed ${seed}`).toBe(whole);
    }
  });

  test('it lets go of nearly all transactions before the end', async () => {
    const bounds = { sessions: 6, txnsPerSession: 200, fenceEvery: 10, keys: 20, opsPerTxn: 3, staleness: 0 };
    const { counters, stages } = await run(fencedHistory({ seed: 3, ...bounds }), 'serializable', {
      fenceKey: 'fence',
    });
    expect(counters.epochs).toBe(20);
    expect(counters.collected).toBe(1200);
    // Each transaction is examined in two or three epochs, not in all twenty.
    expect(counters.nodes).toBeLessThan(3 * 1200);
    expect(stages).toContain('collect');
  });

  test('without fences, it is one epoch', async () => {
    const bounds = { sessions: 3, txnsPerSession: 10, fenceEvery: 100, keys: 3, opsPerTxn: 2, staleness: 0 };
    const history = fencedHistory({ seed: 1, ...bounds });
    expect((await run(history, 'serializable', { fenceKey: 'k0', fencesPerEpoch: 100 })).counters.epochs).toBe(1);
    expect((await run(history, 'serializable', { fenceKey: 'nothing' })).counters.epochs).toBeUndefined();
  });
});
