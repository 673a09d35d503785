import { describe, expect, test } from 'vitest';
import { agreeOnRandomRuns } from './agreement.ts';
import type { RunKind } from './random-runs.ts';

// A soak by hand: ISOLAB_SOAK=100000 ISOLAB_SEED=7 npm test
const RUNS = Number(process.env['ISOLAB_SOAK'] ?? 400);
const SEED = Number(process.env['ISOLAB_SEED'] ?? 1);

describe('strong levels agree with the oracle with any options, and their certificates hold', () => {
  test.each<RunKind>(['unique', 'repeated', 'unknown', 'lists'])(
    'on random histories: %s',
    { timeout: 60_000 + RUNS * 100 },
    (kind) => {
      const seen = agreeOnRandomRuns(kind, RUNS, SEED);
      for (const verdict of ['satisfied commit-order', 'satisfied event-order', 'violated cycle', 'violated proof'])
        expect(seen.get(verdict) ?? 0).toBeGreaterThan(10);
      expect(seen.get('satisfied uncertified') ?? 0).toBe(0);
      expect(seen.get('violated uncertified') ?? 0).toBeLessThan(RUNS / 100);
    },
  );
});
