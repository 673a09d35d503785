import { parseHistory } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { DEFAULTS } from '../src/index.ts';
import { OPEN_WHEN_PLACED, PLACED } from '../src/stream/lines.ts';
import { RealTime } from '../src/engine/real-time.ts';
import { Watcher } from '../src/watcher/watcher.ts';
import { MemoryLog } from './lines.ts';

test.each([
  ['w(x,1) @18-19', 1],
  ['w(x,1) @19-', 1],
  ['w(x,1) @5-6', 0],
  ['w(x,1) @5-', 0],
])('behind %s, which is settled, a transaction that began at 6 is late %i times', (settled, late) => {
  const realTime = new RealTime();
  realTime.passCommit(parseHistory(settled), 0);
  const isNew = (): number => 0;
  expect(
    realTime.countLate(parseHistory('r(x,1) @6..6-30'), 'generalized-snapshot-isolation', Uint8Array.of(1), isNew),
  ).toBe(late);
});

test.each([
  ['0-4', 1],
  ['0-13', 0],
  ['0-', 0],
])(
  'behind one that is settled and committed at 12, one placed before its outcome came, @%s, is late %i times',
  (times, late) => {
    const realTime = new RealTime();
    realTime.passBegin(parseHistory('w(x,1) @3-12..12'), 0);
    realTime.passCommit(parseHistory('w(x,1) @3-12..12'), 0);
    const flagsOf = (): number => PLACED | OPEN_WHEN_PLACED;
    expect(
      realTime.countLate(parseHistory(`w(x,2) @${times}`), 'generalized-snapshot-isolation', Uint8Array.of(1), flagsOf),
    ).toBe(late);
  },
);

test('one that was placed as read from, then left out as another wrote the same, is late if it has to be placed again', async () => {
  const watcher = await new Watcher({
    ...DEFAULTS,
    name: 'a stream',
    levels: ['generalized-snapshot-isolation'],
    values: 'repeated',
    horizon: { transactions: 5, ms: Infinity },
    mostReopened: 0,
    log: new MemoryLog(),
    alarmFolder: null,
  }).open();
  const lateAfter: number[] = [];
  for (const line of [
    '{"isolab":"history","version":1,"initial":0,"times":"events"}',
    '{"session":1,"begin":20,"end":21,"ops":[["w","v",8],["w","z",9]]}',
    '{"session":2,"begin":22,"end":23,"ops":[["r","k",0]]}',
    '{"session":3,"begin":6,"begun":7,"status":"unknown","ops":[["w","x",1],["w","v",7]]}',
    '{"session":4,"begin":27,"end":28,"ops":[["r","x",1]]}',
    '{"session":5,"begin":25,"end":26,"ops":[["w","x",1]]}',
    '{"session":2,"begin":30,"end":31,"ops":[["r","k",0]]}', // settles the first
    '{"session":4,"begin":32,"end":33,"ops":[["r","v",7],["r","z",9]]}', // the third would have to follow the first
  ]) {
    watcher.take(Buffer.from(`${line}\n`));
    lateAfter.push((await watcher.judge()).late);
  }
  expect(lateAfter).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
});
