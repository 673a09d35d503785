import type { ResultRow } from '../../src/measurement/row-shape.ts';

/** A row of results, for tests to change. */
export const ROW: ResultRow = {
  experiment: 'paper/figure',
  series: 'A',
  x: 10,
  repeat: 0,
  checker: 'weave',
  variant: null,
  level: 'serializable',
  history: { id: 'h', sessions: 1, transactions: 2, operations: 3, keys: 1 },
  verdict: 'satisfied',
  reason: null,
  wallMs: 1.5,
  cpuMs: null,
  peakRssBytes: 1000,
  stages: [{ name: 'solve', ms: 1 }],
  counters: { edges: 4 },
  certificate: 'none',
  key: 'abc',
  run: { machine: 'm', node: 'v20', commit: 'c', at: '2026-01-01T00:00:00.000Z', load: 0.5, scale: 'ci' },
};
