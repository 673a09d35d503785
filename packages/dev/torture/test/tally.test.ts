import { expect, test } from 'vitest';
import { Tally } from '../src/suite/tally.ts';

test('a campaign counts by kind and keeps failures', () => {
  const told: string[] = [];
  const tally = new Tally((failure) => told.push(failure));
  tally.survived('text');
  tally.survived('awdit-test');
  tally.failed('text', 'it crashed; seed 7');
  tally.counted('verdicts', 2);
  tally.counted('verdicts', 3);
  tally.skipped('full disk', 'nothing can be mounted here');
  expect(tally.lines()).toEqual([
    '  awdit-test  1 survived',
    '  full disk   0 survived, 1 skipped',
    '  text        1 survived, 1 FAILED',
    '  skipped full disk: nothing can be mounted here',
    '  all         2 survived, 1 FAILED, 1 skipped',
    '  5 verdicts',
  ]);
  expect(tally.failures).toEqual(['text: it crashed; seed 7']);
  expect(told).toEqual(tally.failures);
});
