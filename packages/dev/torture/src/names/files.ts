import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@isolab/workloads';

/** Place of an attempt. */
export interface Place {
  readonly folder: string;
  readonly random: Random;
  /** Text that a file or a program may contain. */
  text(): string;
  /** Path of a new file in the folder. */
  path(): string;
}

/** A history of two transactions that each overwrite a version that the other has read: write skew. */
export function historyAt(path: string, { text }: Place): string {
  const [x, y] = [`x${text()}`, `y${text()}`];
  const lines = [
    { isolab: 'history', version: 1, initial: null, database: text(), sessions: [`A${text()}`, `B${text()}`] },
    { session: 0, id: `t1${text()}`, begin: 0, end: 9 },
    { session: 1, id: `t2${text()}`, begin: 1, end: 8 },
  ];
  const [header, first, second] = lines as [{ sessions: string[] }, object, object];
  const [a, b] = header.sessions;
  const reads = [
    ['r', x, null],
    ['r', y, null],
  ];
  const all = [
    header,
    { ...first, session: a, ops: [...reads, ['w', x, `v${text()}`]] },
    { ...second, session: b, ops: [...reads, ['w', y, text()]] },
  ];
  writeFileSync(path, all.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

/** A checker that returns hostile texts, and prints some. */
export function pluginOf({ random, text }: Place): string {
  const verdict = random.pick([
    { status: 'unknown', reason: 'incomplete', detail: text() },
    { status: 'satisfied', warnings: [{ name: text(), transactions: [], text: text() }] },
    { status: 'violated', anomalies: [{ name: 'write-skew', pattern: text(), transactions: [0, 1] }] },
  ]);
  const info = {
    name: 'hostile',
    title: text(),
    version: text(),
    apiVersion: 1,
    paper: null,
    levels: ['serializable'],
    sound: true,
    complete: true,
    requires: [],
    options: {},
    variants: {},
  };
  const ends = random.chance(0.3)
    ? `throw new Error(${JSON.stringify(text())});`
    : `return ${JSON.stringify(verdict)};`;
  return `import { isMainThread } from 'node:worker_threads';
const prints = !isMainThread || process.send !== undefined;
export default { info: ${JSON.stringify(info)}, check(input, level, options, context) {
  context.stage(${JSON.stringify(text())});
  if (prints) { console.log(${JSON.stringify(text())}); console.error(${JSON.stringify(text())}); }
  ${ends}
} };
`;
}

/** A folder with an experiment, and results that other machines may have written. */
export function labOf({ folder, random, text }: Place): string {
  const series = [`a${text()}`, `b${text()}`];
  const limits = { seconds: 2, megabytes: 500 };
  const experiment = {
    id: 'p/f',
    paper: 'p',
    figure: 'f',
    title: text(),
    claim: text(),
    level: 'serializable',
    chart: random.pick(['lines', 'bars', 'marks', 'table']),
    x: { label: text(), scale: 'linear' },
    y: { label: text(), scale: 'log', metric: 'wallMs' },
    grid: { ci: [1, 2], laptop: [1], paper: [1] },
    history: { workload: 'general', sessions: 2, transactions: '$x', level: 'serializable', seed: 1 },
    series: series.map((name) => ({ name, checker: 'weave' })),
    limits: { ci: limits, laptop: limits, paper: limits },
    repeats: { ci: 1, laptop: 1, paper: 1 },
    published: {},
    holds: [{ text: text(), kind: 'faster', series: series[0], than: series[1], factor: 2, at: 'all', note: text() }],
    deviations: [text()],
  };
  const rows = series.flatMap((name) =>
    [1, 2].map((x) => ({
      experiment: 'p/f',
      series: name,
      x,
      repeat: 0,
      checker: 'weave',
      variant: null,
      level: 'serializable',
      history: { id: text(), sessions: 2, transactions: x, operations: 9, keys: 3 },
      verdict: random.pick(['satisfied', 'violated', 'unknown']),
      reason: random.pick([null, 'timeout', text()]),
      wallMs: 5,
      cpuMs: 5,
      peakRssBytes: 1e8,
      counters: { [text()]: 3 },
      certificate: 'none',
      key: `${name}${x}`,
      stages: [{ name: text(), ms: 5 }],
      run: { machine: text(), host: text(), node: text(), commit: text(), at: text(), load: 1, scale: 'ci' },
    })),
  );
  mkdirSync(join(folder, 'benchmarks', 'p'), { recursive: true });
  mkdirSync(join(folder, 'reports', 'results'), { recursive: true });
  writeFileSync(join(folder, 'benchmarks', 'p', 'f.json'), JSON.stringify(experiment));
  writeFileSync(join(folder, 'reports', 'results', 'ci.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return folder;
}
