import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const limits = { seconds: 5, megabytes: 500 };
const experiment = (figure: string, more: object = {}): object => ({
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

const row = (id: string, x: number): object => ({
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

/** A laboratory with two figures and a table, of which one figure was not measured. */
function laboratory(): string {
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

test('writes pages, and says where the figure is that was measured last', async () => {
  const root = laboratory();
  const { code, out } = await isolab('report', '--root', root, '--no-png');
  expect(code).toBe(0);
  const [pages, last] = out.split('\n');
  expect(pages).toContain(`${join(root, 'reports/ci/index.html')}: 3 experiments, 3 results`);
  expect(last).toBe(`${join(root, 'reports/ci/mine/fig1.html')}: measured last`);
  expect(readFileSync(last!.split(': ')[0]!, 'utf8')).toContain('Time of fig1');
});

test('exports a figure by the ending of the file, and replaces it only with --force', async () => {
  const root = laboratory();
  const file = join(root, 'out', 'figure.pdf');
  const exported = (...more: readonly string[]): ReturnType<typeof isolab> =>
    isolab('report', 'mine/fig1', '--root', root, '--out', file, ...more);
  expect((await exported()).code).toBe(0);
  expect(readFileSync(file, 'latin1')).toMatch(/\/MediaBox \[0 0 241 /);
  expect(await exported()).toMatchObject({ code: 3, err: expect.stringContaining('--force replaces it') });
  expect((await exported('--width', '506', '--force')).code).toBe(0);
  expect(readFileSync(file, 'latin1')).toMatch(/\/MediaBox \[0 0 506 /);
});

test('of several figures it writes those that there are, names the others, and exits with 2', async () => {
  const root = laboratory();
  const { code, out, err } = await isolab('report', 'mine', '--root', root, '--out', join(root, 'out'), '--to', 'svg');
  expect(code).toBe(2);
  expect(out).toContain('mine-fig1.svg: Time of fig1');
  expect(err).toContain('mine/fig2 has no results at scale ci: isolab bench mine/fig2 --scale ci.');
  expect(err).toContain('mine/tab1 is a table; --to csv and --to md have what there is.');
  expect(readdirSync(join(root, 'out'))).toEqual(['mine-fig1.svg']);
});

test.each([
  [['mine/fig3'], 'There is no experiment mine/fig3; did you mean mine/fig1? isolab bench --list names them.'],
  [['mine/fig1', '--to', 'svgg'], 'There is no format svgg; did you mean svg? --to takes pdf, svg, png, csv, md.'],
  [['mine/fig1', '--to', 'pfd'], 'There is no format pfd; did you mean pdf? --to takes pdf, svg, png, csv, md.'],
  [['mine/fig2'], 'mine/fig2 has no results at scale ci: isolab bench mine/fig2 --scale ci.'],
  [['mine/tab1', '--to', 'pdf'], 'mine/tab1 is a table; --to csv and --to md have what there is.'],
  [['mine', '--out', 'one.pdf'], '3 figures do not fit in one file; --out takes a folder for them, not one.pdf.'],
  [['mine/fig1', '--out', 'nowhere/'], 'There is no folder '],
  [['mine/fig1', '--width', '20'], '--width takes at least 180 points, not 20.'],
  [['--to', 'pdf'], 'Which figures? isolab report polysi/fig7a --to pdf writes one; isolab bench --list names all.'],
])('report %j is a wrong call', async (words, message) => {
  const { code, err } = await isolab('report', ...words, '--root', laboratory());
  expect(code).toBe(3);
  expect(err).toContain(`isolab: ${message}`);
});
