import { expect, test } from 'vitest';
import { inWords, sum, totalsOf } from '../src/totals.ts';

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

test('counts whatever neither passed nor failed as skipped', () => {
  const report = { testResults: [file('failed', 'passed', 'failed', 'skipped', 'todo', 'pending')] };
  expect(totalsOf(report)).toEqual({ passed: 1, failed: 1, skipped: 3 });
});

test('counts a file that does not load as one failure', () => {
  expect(totalsOf({ testResults: [file('failed'), file('passed', 'passed')] })).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
  });
});

test('the closing line has a fixed form', () => {
  const totals = [
    { passed: 1, failed: 0, skipped: 2 },
    { passed: 3, failed: 1, skipped: 0 },
  ];
  expect(inWords(sum(totals))).toBe('4 passed, 1 failed, 2 skipped');
});
