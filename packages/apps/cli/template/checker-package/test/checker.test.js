import { describeChecker, h, runForTest } from '@isolab/testkit';
import { expect, test } from 'vitest';
import checker from '../checker.js';

// A session a line, `|` between transactions: the last one sees the second write of x, and then the value before y was written.
const BACKWARDS = h`
  w(x,1) w(y,1) | w(x,2) w(y,2)
  r(x,2) r(y,1)
`;

test('finds a read that goes back', async () => {
  const verdict = await runForTest(checker, BACKWARDS, 'read-committed');
  expect(verdict).toMatchObject({ status: 'violated', anomalies: [{ name: 'non-monotonic-read' }] });
});

// Agreement with the definitions of the levels, budgets, certificates, strange histories …
describeChecker(checker);
