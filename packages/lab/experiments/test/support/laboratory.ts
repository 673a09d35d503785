/** A folder with experiments, datasets and a cache of its own, for one test. */
import { type CheckerRef, loadChecker } from '@isolab/runner';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import {
  type BenchEvent,
  type BenchOptions,
  type BenchSummary,
  type Dataset,
  Datasets,
  type ExperimentFile,
  type Tools,
  bench,
} from '../../src/index.ts';

export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

export interface Laboratory {
  readonly folder: string;
  readonly results: string;
  datasets(entries?: readonly Dataset[]): Datasets;
  run(
    experiment: ExperimentFile,
    options?: Partial<BenchOptions>,
  ): Promise<{ summary: BenchSummary; events: BenchEvent[] }>;
}

export function laboratory(): Laboratory {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const results = join(folder, 'results.jsonl');
  const datasets = (entries: readonly Dataset[] = []): Datasets => {
    const place = join(folder, 'datasets');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'manifest.json'), JSON.stringify({ version: 1, datasets: entries }));
    return new Datasets({ folder: place, cache: join(folder, 'cache'), local: undefined });
  };
  return {
    folder,
    results,
    datasets,
    run: async (experiment, options = {}) => {
      const events: BenchEvent[] = [];
      const summary = await bench({
        experiments: [experiment],
        scale: 'ci',
        seed: 1,
        jobs: 1,
        resume: false,
        fresh: false,
        verify: false,
        results,
        cache: join(folder, 'cache'),
        root: folder,
        datasets: datasets(),
        tools: TOOLS,
        loadChecker: quick,
        onEvent: (event) => events.push(event),
        ...options,
      });
      return { summary, events };
    },
  };
}

export const quick = (name: string): Promise<CheckerRef> =>
  name === 'quick' ? loadChecker(fixture('quick.mjs')) : loadChecker(`./no-${name}.js`);

export const tool = (word: string, ...more: readonly string[]): Tools[string] => ({
  command: [fixture('tool.sh'), word, '{history}', ...more],
  format: 'text',
  levels: { serializable: 'ser' },
  ignores: [
    'times',
    'key-names',
    'session-names',
    'transaction-names',
    'database-name',
    'transaction-order',
    'aborted-transactions',
  ],
  verdict: { satisfied: { output: 'ACCEPT' }, violated: { output: 'REJECT' } },
});

const TOOLS: Tools = {
  accepting: tool('accept'),
  blind: tool('blind'),
  rejecting: tool('reject'),
  hanging: tool('hang'),
  contradictory: tool('both'),
  starting: tool('start'),
  crashing: tool('crash'),
  killed: tool('killed'),
  absent: { ...tool('accept'), command: ['a-program-that-is-not-there', '{history}'] },
};

/** A small experiment, with changes. */
export const experimentWith = (changes: Partial<ExperimentFile> = {}): ExperimentFile => ({
  id: 'test/small',
  paper: 'test',
  figure: 'small',
  title: 'Small',
  claim: 'None.',
  chart: 'lines',
  x: { label: 'sessions', scale: 'linear' },
  y: { label: 'time', scale: 'log', metric: 'wallMs' },
  level: 'serializable',
  grid: { ci: [2, 3], laptop: [2, 3], paper: [2, 3] },
  history: { workload: 'general', set: { keys: 5 }, sessions: '$x', transactions: 2, level: 'serializable', seed: 1 },
  series: [{ name: 'Quick', checker: 'quick' }],
  limits: {
    ci: { seconds: 5, megabytes: 500 },
    laptop: { seconds: 5, megabytes: 500 },
    paper: { seconds: 5, megabytes: 500 },
  },
  repeats: { ci: 1, laptop: 1, paper: 1 },
  published: {},
  holds: [{ text: 'It ends.', origin: 'sanity', kind: 'finishes', series: 'Quick', at: 'all' }],
  ...changes,
});
