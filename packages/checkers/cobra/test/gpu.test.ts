import { openDevice } from '@isolab/graph/gpu';
import { arbitraryHistory, h } from '@isolab/testkit';
import fc from 'fast-check';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { run } from './support/run.ts';

const found = await openDevice('any');
const name = typeof found === 'string' ? found : found.name;

describe('with reachability on a device', unless('gpu', typeof found !== 'string', name), () => {
  test.each(['serializable', 'snapshot-isolation'] as const)(
    'with reachability on a device decides %s as on the host',
    async (level) => {
      let pruned = 0;
      const histories = arbitraryHistory({ transactions: 9, atLeast: 6, sessions: 4, keys: 2, operations: 3 });
      await fc.assert(
        fc.asyncProperty(histories, async (history) => {
          const here = await run(history, level);
          const there = await run(history, level, { reachability: 'any-device' });
          expect(there.verdict).toEqual(here.verdict);
          expect(there.counters.constraintsLeft).toBe(here.counters.constraintsLeft);
          if (!here.stages.includes('prune')) return;
          pruned++;
          expect(there.stages).toContain(`prune on ${name}`);
          expect(there.counters.softwareDevice === 1).toBe((found as { isSoftware: boolean }).isSoftware);
        }),
        { numRuns: 8, seed: 11 },
      );
      expect(pruned).toBeGreaterThan(2);
    },
  );
});

const isHardware = typeof found !== 'string' && !found.isSoftware;

test('the checker names the missing tool where there is no GPU', unless('no-gpu', !isHardware), async () => {
  const blind = h`
    w(x,1)
    w(x,2)
    r(x,1)
    r(x,2)`;
  const refused = run(blind, 'serializable', { reachability: 'gpu' });
  await expect(refused).rejects.toMatchObject({ name: 'Stop', reason: 'unsupported' });
  await expect(refused).rejects.toThrow(/no GPU|no WebGPU/);
});
