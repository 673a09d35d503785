import type { ResultRow } from '../src/measurement/row-shape.ts';
import { expect, test } from 'vitest';
import { diffResults } from '../src/index.ts';

const row = (series: string, wallMs: number, changes: Partial<ResultRow> = {}): ResultRow => ({
  experiment: 'test/one',
  series,
  x: 10,
  repeat: 0,
  checker: series,
  variant: null,
  level: 'serializable',
  history: { id: 'h', sessions: 1, transactions: 1, operations: 1, keys: 1 },
  verdict: 'satisfied',
  reason: null,
  wallMs,
  cpuMs: wallMs,
  peakRssBytes: 1e8,
  stages: [],
  counters: { edges: 7 },
  certificate: 'none',
  key: `${series}`,
  run: { machine: 'm', node: 'v20', commit: 'c', at: '', load: 0, scale: 'ci' },
  ...changes,
});
const timeout = { verdict: 'unknown', reason: 'timeout' } as const;

test('runs that say the same do not differ, at any times', () => {
  const differences = diffResults([row('a', 100), row('b', 300)], [row('b', 900), row('a', 250)], 0.25);
  expect(differences).toEqual({
    cells: 2,
    onlyInFirst: 0,
    onlyInSecond: 0,
    histories: [],
    verdicts: [],
    limits: [],
    counts: [],
    rankings: [],
    withinNoise: 0,
    pairs: 1,
  });
});

test('another verdict, another count and another history are differences', () => {
  const first = [row('a', 100), row('b', 100), row('c', 100)];
  const second = [
    row('a', 100, { verdict: 'violated' }),
    row('b', 100, { counters: { edges: 8, nodes: 1 } }),
    row('c', 100, { history: { ...first[2]!.history, id: 'other' }, key: 'of another history' }),
  ];
  expect(diffResults(first, second, 0.25)).toMatchObject({
    histories: ['test/one, c at 10: h and other'],
    verdicts: ['test/one, a at 10: satisfied and violated'],
    counts: ['test/one, b at 10: edges 7 and 8', 'test/one, b at 10: nodes absent and 1'],
  });
});

test('a history that goes by two names is one', () => {
  const other = row('a', 100);
  const renamed = { ...other, history: { ...other.history, id: 'another name' } };
  expect(diffResults([other], [renamed], 0.25).histories).toEqual([]);
});

test('a run that was nearly out of time may be so now, and a quick one may not', () => {
  const ended = (series: string) => row(series, 1000, timeout);
  const near = diffResults([row('a', 900)], [ended('a')], 0.25);
  expect(near).toMatchObject({ cells: 1, verdicts: [], limits: [] });
  const far = diffResults([row('a', 300)], [ended('a')], 0.25);
  expect(far).toMatchObject({ verdicts: [], limits: ['test/one, a at 10: satisfied and timeout'] });
  const notRun = { ...timeout, reason: 'timeout at 5' } as const;
  expect(diffResults([ended('a')], [row('a', 0, notRun)], 0.25).limits).toEqual([]);
  expect(diffResults([row('a', 300)], [row('a', 0, notRun)], 0.25).limits).toHaveLength(1);
  const crashed = { verdict: 'unknown', reason: 'crashed: it' } as const;
  expect(diffResults([row('a', 999)], [row('a', 1000, crashed)], 0.25).limits).toHaveLength(1);
});

test('series that change places are a difference unless they are close in one of the runs', () => {
  const swapped = diffResults([row('a', 100), row('b', 300)], [row('a', 300), row('b', 100)], 0.25);
  expect(swapped.rankings).toEqual(['test/one at 10: a 100 ms before b 300 ms, and b 100 ms before a 300 ms']);
  const close = diffResults([row('a', 100), row('b', 120)], [row('a', 300), row('b', 100)], 0.25);
  expect(close).toMatchObject({ rankings: [], withinNoise: 1 });
  const short = diffResults([row('a', 1), row('b', 4)], [row('a', 4), row('b', 1)], 0.25);
  expect(short).toMatchObject({ rankings: [], withinNoise: 1 });
  const repeats = [row('a', 100), row('a', 400, { repeat: 1 }), row('b', 300), row('b', 600, { repeat: 1 })];
  const spread = diffResults(repeats, [row('a', 900), row('a', 900, { repeat: 1 }), ...repeats.slice(2)], 0.25);
  expect(spread).toMatchObject({ rankings: [], withinNoise: 1 });
});

test('the last row of a cell counts, and skipped ones do not', () => {
  const skipped = row('s', 0, { verdict: 'skipped', reason: 'absent' });
  const differences = diffResults([row('a', 1, timeout), row('a', 9), skipped], [row('a', 9), row('b', 9)], 0.25);
  expect(differences).toMatchObject({ cells: 1, onlyInFirst: 0, onlyInSecond: 1, verdicts: [] });
});
