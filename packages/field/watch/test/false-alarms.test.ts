import type { LevelName } from '@isolab/contract';
import { expect, test } from 'vitest';
import { DEFAULTS } from '../src/index.ts';
import { Watcher } from '../src/watcher/watcher.ts';
import { MemoryLog } from './lines.ts';

/** Streams that raised a false alarm once, judged after each of these numbers of lines. */
test.each<
  [
    string,
    LevelName,
    { readonly values: 'auto' | 'repeated'; readonly horizon: number; readonly judged: readonly number[] },
    readonly string[],
  ]
>([
  [
    'who appended an element that another one appended and took back may be long forgotten',
    'prefix',
    { values: 'repeated', horizon: 2, judged: [1, 4, 7] },
    [
      '{"isolab":"history","version":1,"initial":0,"times":"events","sessions":[0,1]}',
      '{"session":0,"status":"unknown","begin":0,"end":0,"at":1,"ops":[["r","x",[]]]}',
      '{"status":"unknown","session":1,"begin":6,"at":4,"ops":[["append","x",1]]}',
      '{"status":"unknown","session":0,"begin":12,"at":2,"ops":[["append","y",1],["append","x",1]]}',
      '{"outcome":"aborted","session":0,"end":12}',
      '{"status":"unknown","session":0,"begin":18,"at":3,"ops":[["r","x",[1]],["r","y",[]],["append","x",2]]}',
      '{"outcome":"committed","session":1,"end":6}',
      '{"outcome":"committed","session":0,"end":18}',
    ],
  ],
  [
    'a transaction that was read from may abort, where reads of what was aborted are allowed',
    'cut-isolation',
    { values: 'auto', horizon: 3, judged: [0, 1, 2, 3, 4, 5, 6, 7] },
    [
      '{"isolab":"history","version":1,"initial":0,"sessions":[0]}',
      '{"session":0,"at":1,"ops":[["w","x",1],["w","y",1]]}',
      '{"status":"unknown","session":0,"at":2,"ops":[["r","x",2],["r","y",0],["w","x",3]]}',
      '{"outcome":"committed","session":0}',
      '{"status":"unknown","session":0,"at":3,"ops":[["r","y",1],["w","x",2],["r","y",0]]}',
      '{"outcome":"aborted","session":0}',
      '{"status":"unknown","session":0,"at":4,"ops":[["r","x",0],["r","y",0]]}',
      '{"outcome":"committed","session":0}',
    ],
  ],
  [
    'a transaction that was read from may have committed after its client gave up',
    'generalized-snapshot-isolation',
    { values: 'repeated', horizon: 5, judged: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
    [
      '{"isolab":"history","version":1,"sessions":[0,1,2,3,4],"initialTransaction":"first"}',
      '{"session":"the beginning","ops":[["w","k0",0],["w","k1",0]]}',
      '{"session":4,"status":"unknown","begin":0,"end":4,"at":5,"ops":[["w","k0",2]]}',
      '{"session":0,"status":"unknown","begin":1,"end":6,"at":1,"ops":[["r","k1",0],["r","k1",0]]}',
      '{"session":0,"status":"unknown","begin":6,"end":9,"at":2,"ops":[["r","k0",0],["w","k1",2],["r","k0",0]]}',
      '{"status":"unknown","session":1,"begin":0,"at":3,"ops":[["r","k0",2],["w","k1",1],["r","k0",2]]}',
      '{"outcome":"aborted","session":1,"end":2}',
      '{"session":3,"begin":2,"end":9,"at":4,"ops":[["r","k1",0],["r","k0",2],["w","k0",0],["w","k1",1]]}',
      '{"status":"unknown","session":4,"at":6,"ops":[["r","k1",0],["r","k1",0],["r","k0",0],["r","k1",0]]}',
      '{"outcome":"committed","session":4}',
    ],
  ],
])('%s', async (_, level, { values, horizon, judged }, lines) => {
  const watcher = await new Watcher({
    ...DEFAULTS,
    name: 'a stream',
    levels: [level],
    values,
    horizon: { transactions: horizon, ms: Infinity },
    mostReopened: 0,
    log: new MemoryLog(),
    alarmFolder: null,
  }).open();
  for (const [i, line] of lines.entries()) {
    watcher.take(Buffer.from(`${line}\n`));
    if (judged.includes(i)) await watcher.judge();
  }
  expect((await watcher.finish()).alarms).toEqual([]);
});
