/** Verdicts about rows depend neither on the names of the rows nor on the order of the rows that a scan returned. */
import { levelsSatisfied } from '@isolab/oracle';
import { expect, test } from 'vitest';
import { historyOfRowCase, rowCases } from '../src/index.ts';

/** Levels that compare the reads of one transaction. */
const LEVELS = [
  'read-committed',
  'read-committed-dbcop',
  'monotonic-reads',
  'pram',
  'monotonic-view',
  'monotonic-snapshot-reads',
] as const;

test('names and order of rows affect no verdict', () => {
  const answers = new Set<string>();
  for (const one of rowCases()) {
    const satisfied = levelsSatisfied(historyOfRowCase(one), LEVELS);
    answers.add(satisfied.join());
    expect([one, ...levelsSatisfied(historyOfRowCase(one, true), LEVELS)]).toEqual([one, ...satisfied]);
  }
  expect(answers.size).toBeGreaterThan(1);
});
