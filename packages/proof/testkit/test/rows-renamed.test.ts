/** Verdicts about rows depend neither on the names of the rows nor on the order of the rows that a scan returned. */
import { builtInLevel } from '@isolab/levels';
import type { History } from '@isolab/history';
import { decideDefinition, levelsSatisfied } from '@isolab/oracle';
import { expect, test } from 'vitest';
import { historyOfRowCase, rowCases } from '../src/index.ts';

/** Levels that compare the reads of one transaction. */
const LEVELS = ['monotonic-reads', 'pram', 'monotonic-view', 'monotonic-snapshot-reads'] as const;

const satisfiedBy = (history: History): readonly string[] => [
  ...levelsSatisfied(history, ['read-committed', 'read-committed-dbcop']),
  ...LEVELS.filter((level) => decideDefinition(history, builtInLevel(level)!).satisfied),
];

test('names and order of rows affect no verdict', () => {
  const answers = new Set<string>();
  for (const one of rowCases()) {
    const satisfied = satisfiedBy(historyOfRowCase(one));
    answers.add(satisfied.join());
    expect([one, ...satisfiedBy(historyOfRowCase(one, true))]).toEqual([one, ...satisfied]);
  }
  expect(answers.size).toBeGreaterThan(1);
});
