/** Subjects of commands: a database, a lab, a checker that takes its time. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { write } from './program.ts';

/** A database that answers every read with the same, or as it should, after a while; it keeps the mark of its tables. */
export const client = (at: string, answer: number): string => {
  const script = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const values = new Map();
const store = new URL('mark.json', import.meta.url);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { kind, key, value } = JSON.parse(line);
  if (kind === 'write' && key === -1) writeFileSync(store, String(value));
  else if (kind === 'write') values.set(key, value);
  let reply = {};
  if (kind === 'read' && key === -1) reply = { value: existsSync(store) ? Number(readFileSync(store)) : null };
  else if (kind === 'read') reply = { value: ${answer} === 0 ? (values.get(key) ?? 0) : ${answer} };
  setTimeout(() => console.log(JSON.stringify(reply)), 2);
});`;
  return `exec:${process.execPath} ${write(join(at, 'client.mjs'), script)}`;
};

/** A lab with one experiment, whose checker takes its time. */
export function lab(at: string): string {
  const root = join(at, 'lab');
  for (const name of ['benchmarks/one', 'datasets']) mkdirSync(join(root, name), { recursive: true });
  write(join(root, 'datasets/manifest.json'), '{"version":1,"datasets":[]}');
  const everywhere = (what: unknown): object => ({ ci: what, laptop: what, paper: what });
  const experiment = {
    id: 'one/slow',
    paper: 'one',
    figure: 'slow',
    title: 'Slow',
    claim: 'None.',
    chart: 'lines',
    level: 'causal',
    x: { label: 'sessions', scale: 'linear' },
    y: { label: 'time', scale: 'log', metric: 'wallMs' },
    grid: everywhere([2]),
    limits: everywhere({ seconds: 60, megabytes: 500 }),
    repeats: everywhere(1),
    history: { workload: 'general', set: { keys: 5 }, sessions: '$x', transactions: 2, level: 'serializable', seed: 1 },
    series: [{ name: 'Slow', checker: slowChecker(root) }],
    published: {},
    holds: [],
  };
  write(join(root, 'benchmarks/one/slow.json'), JSON.stringify(experiment));
  return root;
}
export const slowChecker = (at: string): string =>
  write(
    join(at, 'slow.mjs'),
    `export default {
  info: { name: 'slow', title: 'takes its time', version: '1.0.0', apiVersion: 1, paper: null, levels: ['causal'],
    sound: true, complete: true, requires: [], options: {}, variants: {} },
  check() { for (;;); },
};`,
  );

/** Commands that are over at once; nothing can hold them up. */
export const quickCommands = (labFolder: string): Readonly<Record<string, readonly string[]>> => ({
  workloads: ['list', 'workloads'],
  levels: ['list', 'levels'],
  checkers: ['list', 'checkers'],
  formats: ['list', 'formats'],
  tools: ['list', 'tools', '--root', labFolder],
  'bench --list': ['list', 'experiments', '--root', labFolder],
  'datasets list': ['list', 'datasets', '--root', labFolder],
  '--help': ['--help'],
  '--version': ['--version'],
});
