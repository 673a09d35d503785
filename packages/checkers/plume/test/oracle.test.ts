import { decide } from '@isolab/oracle';
import { arbitraryHistory, printHistory } from '@isolab/testkit';
import { buildReadFrom, checkShape } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEVELS, run } from './support/run.ts';

describe.each([
  ['registers', { lists: false, aborted: true, unknown: true }],
  ['lists', { lists: true, aborted: true, unknown: true }],
])('on %s', (_, bounds) => {
  test.each(LEVELS)('the oracle agrees at %s', (level) => {
    const verdicts = { satisfied: 0, violated: 0 };
    fc.assert(
      fc.property(arbitraryHistory(bounds), (history) => {
        const index = buildReadFrom(history);
        fc.pre(checkShape(history, index, 'unique-values').holds && checkShape(history, index, 'no-unknown').holds);
        const status = decide(history, level).satisfied ? 'satisfied' : 'violated';
        expect({ status: run(history, level).verdict.status, text: printHistory(history) }).toMatchObject({ status });
        verdicts[status]++;
      }),
      { numRuns: 1000 },
    );
    if (level !== 'cut-isolation') expect(Math.min(verdicts.satisfied, verdicts.violated)).toBeGreaterThan(20);
  });
});
