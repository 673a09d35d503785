import { expect, test } from 'vitest';
import { failuresOf, inWords, sum, totalsOf } from '../src/totals.ts';

const file = (status: string, ...tests: string[]) => ({
  name: '/somewhere/some.test.ts',
  status,
  message: 'SyntaxError: no such export',
  assertionResults: tests.map((each) => ({
    fullName: `a ${each} test`,
    status: each,
    failureMessages: each === 'failed' ? ['AssertionError: expected \u001B[31m1\u001B[39m to be 2\n    at here'] : [],
  })),
});

test('the summary counts other results than passed and failed as skipped', () => {
  const report = { testResults: [file('failed', 'passed', 'failed', 'skipped', 'todo', 'pending')] };
  expect(totalsOf(report)).toEqual({ passed: 1, failed: 1, skipped: 3 });
});

test('the summary counts a file that does not load as one failure', () => {
  expect(totalsOf({ testResults: [file('failed'), file('passed', 'passed')] })).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
  });
});

test('the summary names each failed test and the first line of why it failed', () => {
  const report = {
    testResults: [file('failed', 'passed', 'failed', 'skipped'), file('failed'), file('passed', 'passed')],
  };
  expect(failuresOf(report, '/somewhere')).toEqual([
    'some.test.ts > a failed test: AssertionError: expected 1 to be 2',
    'some.test.ts: SyntaxError: no such export',
  ]);
});

test('the closing line has a fixed form', () => {
  const totals = [
    { passed: 1, failed: 0, skipped: 2 },
    { passed: 3, failed: 1, skipped: 0 },
  ];
  expect(inWords(sum(totals))).toBe('4 passed, 1 failed, 2 skipped');
});
