import { expect, test } from 'vitest';
import { agreeOnRandomRuns } from './agreement.ts';

// A soak by hand: ISOLAB_SOAK=100000 ISOLAB_SEED=7 npm test
const RUNS = Number(process.env['ISOLAB_SOAK'] ?? 1000);
const SEED = Number(process.env['ISOLAB_SEED'] ?? 1);

test(
  'strong levels agree with the oracle with any options, and their certificates hold',
  { timeout: 60_000 + RUNS * 100 },
  () => {
    const seen = agreeOnRandomRuns(RUNS, SEED);
    for (const kind of ['satisfied commit-order', 'satisfied event-order', 'violated cycle', 'violated proof'])
      expect(seen.get(kind) ?? 0).toBeGreaterThan(10);
  },
);
