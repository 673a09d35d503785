import { decide } from '@isolab/oracle';
import { arbitraryHistory, printHistory, draws } from '@isolab/testkit';
import { buildReadFrom, checkShape } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { history as inLines } from './support/notation.ts';
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
      { numRuns: draws(1000) },
    );
    if (level !== 'cut-isolation') expect(Math.min(verdicts.satisfied, verdicts.violated)).toBeGreaterThan(20);
  });
});

test('at cut isolation, an open outcome proves nothing where another transaction wrote the same', () => {
  const contradiction = '?r(x,1) w(y,2) r(x,0)';
  expect(run(inLines(contradiction, 'w(x,1) w(y,2) w(y,3)', 'r(y,2)'), 'cut-isolation').verdict).toEqual({
    status: 'satisfied',
    certificate: { kind: 'inspection', happened: [1, 2] },
  });
  expect(run(inLines(contradiction, contradiction, 'w(x,1)', 'r(y,2)'), 'cut-isolation').verdict).toMatchObject({
    status: 'unknown',
    detail:
      'the possible writers of a value that was read all have unknown outcomes, and each writer contradicts itself or needs a transaction that does',
  });
  for (const others of [
    ['w(x,1) w(y,3)', 'r(y,2)'],
    [contradiction.slice(1), 'w(x,1) w(y,2) w(y,3)'],
  ])
    expect(run(inLines(contradiction, ...others), 'cut-isolation').verdict.status).toBe('violated');
});
