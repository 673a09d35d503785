import { parseHistory } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { RealTime } from '../src/real-time.ts';

test.each([
  ['w(x,1) @18-19', 1],
  ['w(x,1) @19-', 1],
  ['w(x,1) @5-6', 0],
  ['w(x,1) @5-', 0],
])('behind %s, which is settled, a transaction that was called at 6 is late %i times', (settled, late) => {
  const realTime = new RealTime();
  realTime.passCommit(parseHistory(settled), 0);
  const isNew = (): number => 0;
  expect(
    realTime.countLate(parseHistory('r(x,1) @6-30'), 'generalized-snapshot-isolation', Uint8Array.of(1), isNew),
  ).toBe(late);
});
