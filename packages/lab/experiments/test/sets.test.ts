import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256OfText } from '../src/experiment/checksum.ts';
import { beginsWith, evenly } from '../src/experiment/dataset-source.ts';
import { type Dataset, type ExperimentFile, readRows } from '../src/index.ts';
import { rowOfSet } from '../src/measurement/measure-set.ts';
import { skipped } from '../src/measurement/run-cell.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

/** Two, three and four operations. */
const SHORT = 'w(1,1,0,0)\nr(1,1,1,1)\n';
const TEXTS = [SHORT, `${SHORT}w(1,2,0,2)\n`, `${SHORT}w(1,2,0,2)\nw(1,3,0,3)\n`];

const LEVELS = ['causal', 'serializable'];
const by = (changes: Partial<ExperimentFile['series'][number]>): ExperimentFile['series'][number] => ({
  name: 'Counts',
  checker: 'quick',
  options: { says: 'by size' },
  ...changes,
});

async function measured(changes: Partial<ExperimentFile>, texts = [...TEXTS, TEXTS[1]!]) {
  const lab = laboratory();
  const place = join(lab.folder, 'datasets');
  mkdirSync(place, { recursive: true });
  const entries = texts.map((text, i): Dataset => {
    writeFileSync(join(place, `${i}.txt`), text);
    return entry(`mine/${i}.txt`, `${i}.txt`, text);
  });
  const { summary } = await lab.run(
    experimentWith({
      grid: { ci: [1], laptop: [1], paper: [1] },
      history: { datasets: ['mine/'], inOneProcess: true },
      series: [by({ levels: LEVELS })],
      ...changes,
    }),
    { datasets: lab.datasets([...entries, entry('absent/0.txt', 'absent.txt', 'none')]) },
  );
  return { summary, rows: readRows(lab.results) };
}

const entry = (id: string, path: string, text: string): Dataset => ({
  id,
  title: id,
  format: 'text',
  sha256: sha256OfText(text),
  bytes: text.length,
  sizes: null,
  database: null,
  figure: null,
  source: { kind: 'committed', path },
  expected: [],
});

test('a set is one cell that counts verdicts, each content once, and the level that is violated first', async () => {
  const { rows } = await measured({});
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    verdict: 'violated',
    history: { id: 'mine/ (3 of 3)', operations: 4 },
    counters: { histories: 3, satisfied: 1, violated: 2, unknown: 0, 'first.causal': 1, 'first.serializable': 1 },
    peakRssBytes: null,
  });
  expect(rows[0]!.each?.map(({ verdict }) => verdict).toSorted()).toEqual(['satisfied', 'violated', 'violated']);
  // The longest history violates the first level already; the others are asked at both.
  expect(rows[0]!.counters['operations']).toBe(2 + 2 + 3 + 3 + 4);
});

test('a pattern is counted by its instances and by the histories that have it', () => {
  const run = (counters: Record<string, number>) => ({ run: { ...skipped('none'), counters }, violated: null });
  const { counters } = rowOfSet([run({ 'TAP-m': 2, edges: 5 }), run({ 'TAP-m': 1 }), run({ edges: 1 })], null);
  expect(counters).toMatchObject({ 'TAP-m': 3, 'in.TAP-m': 2, 'in.TAP-e': 0, patterns: 2, edges: 6 });
  expect(counters).not.toHaveProperty('in.edges');
});

test('a process each measures memory', async () => {
  const { rows } = await measured({ history: { datasets: ['mine/'], atMost: 1 } });
  expect(rows[0]).toMatchObject({ verdict: 'satisfied', counters: { histories: 1 } });
  expect(rows[0]!.peakRssBytes).toBeGreaterThan(1e7);
});

test('a set with a run that did not end has no verdict, and is not as slow as its limit', async () => {
  const series = [by({ options: { says: 'nothing' } })];
  const limits = { seconds: 0.2, megabytes: 500 };
  const { rows } = await measured({ series, limits: { ci: limits, laptop: limits, paper: limits } }, TEXTS.slice(0, 2));
  expect(rows[0]).toMatchObject({ verdict: 'unknown', reason: 'timeout', counters: { histories: 2, unknown: 2 } });
});

test('a set with a missing history is a gap that says how many are missing', async () => {
  const { rows } = await measured({ history: { datasets: ['mine/', 'absent/'] } });
  expect(rows[0]).toMatchObject({
    verdict: 'skipped',
    reason: '1 of 4 histories are not available; isolab bench datasets get mine/ absent/',
  });
  const { rows: none } = await measured({ history: { datasets: ['nobody/'] } });
  expect(none[0]).toMatchObject({ verdict: 'skipped', reason: 'no dataset begins with nobody/' });
});

test('checkers that count differently disagree', async () => {
  const series = [by({}), by({ name: 'All', options: { says: 'violated' } })];
  const { summary } = await measured({ series });
  expect(summary.problems).toMatchObject([
    {
      kind: 'disagreement',
      satisfied: expect.stringContaining('of 3 histories violated'),
      violated: expect.stringContaining('of 3 histories violated'),
    },
  ]);
});

test('a beginning may leave out a part between two slashes', () => {
  const is = beginsWith(['a.b/*/hist-0', 'c/']);
  expect(['a.b/x/hist-01', 'c/1'].every(is)).toBe(true);
  expect(['axb/x/hist-01', 'a.b/x/y/hist-01', 'a.b/x/hist-11', 'b/c/1'].some(is)).toBe(false);
});

test('a sample is spread over the whole', () => {
  expect(evenly([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3)).toEqual([0, 3, 6]);
  expect(evenly([0, 1], 3)).toEqual([0, 1]);
  expect(evenly([0, 1], null)).toEqual([0, 1]);
});
