/** A laboratory whose figures are quickly measured. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

const limits = { seconds: 5, megabytes: 500 };
export const experiment = (figure: string, more: object = {}): object => ({
  id: `mine/${figure}`,
  paper: 'mine',
  figure,
  title: `Time of ${figure}`,
  claim: 'None.',
  chart: 'lines',
  x: { label: 'sessions', scale: 'linear' },
  y: { label: 'time (s)', scale: 'log', metric: 'wallMs' },
  level: 'serializable',
  grid: { ci: [1, 2], laptop: [1, 2], paper: [1, 2] },
  history: { workload: 'general', sessions: '$x', transactions: 2, level: 'serializable', seed: 1 },
  series: [{ name: 'weave', checker: 'weave' }],
  limits: { ci: limits, laptop: limits, paper: limits },
  repeats: { ci: 1, laptop: 1, paper: 1 },
  published: {},
  holds: [],
  ...more,
});

export const row = (id: string, x: number): object => ({
  experiment: id,
  series: 'weave',
  x,
  repeat: 0,
  checker: 'weave',
  variant: null,
  level: 'serializable',
  history: { id: `h${x}`, sessions: x, transactions: 2, operations: 4, keys: 2 },
  verdict: 'satisfied',
  reason: null,
  wallMs: 10 * x,
  cpuMs: 10,
  peakRssBytes: null,
  stages: [],
  counters: {},
  certificate: 'not asked',
  key: `${id}${x}`,
  run: { machine: 'm', node: 'v20', commit: 'c', scale: 'ci', at: `2026-01-0${x}T00:00:00.000Z`, load: 0 },
});

/** A laboratory with two figures and a table, one of the figures not measured, and the results of the repository. */
export function laboratory(): string {
  const root = mkdtempSync(join(tmpdir(), 'isolab-cli-report-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('benchmarks/mine/fig1.json', JSON.stringify(experiment('fig1')));
  write('benchmarks/mine/fig2.json', JSON.stringify(experiment('fig2')));
  write('benchmarks/mine/tab1.json', JSON.stringify(experiment('tab1', { chart: 'table' })));
  write('datasets/manifest.json', '{"version":1,"datasets":[]}');
  const rows = [row('mine/fig1', 1), row('mine/tab1', 1), row('mine/fig1', 2)];
  write('reports/results/ci.jsonl', rows.map((each) => `${JSON.stringify(each)}\n`).join(''));
  mkdirSync(join(root, 'out'));
  return root;
}
