import { expect, test } from 'vitest';
import { overlaid } from '../src/local-results.ts';
import type { ResultRow } from '../src/measurement/row-shape.ts';
import { latestRows, readRows } from '../src/measurement/rows.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';
import { ROW } from './support/row.ts';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const row = (changes: Partial<ResultRow>, machine: string): ResultRow => ({
  ...ROW,
  key: machine,
  run: { ...ROW.run, machine },
  ...changes,
});

test('one’s own measurement of a series at a point replaces all repeats that the repository has there', () => {
  const repository = [
    ...[0, 1, 2].map((repeat) => row({ repeat }, 'theirs')),
    row({ x: 20 }, 'theirs'),
    row({ series: 'B' }, 'theirs'),
  ];
  const mine = row({}, 'mine');
  const { rows, own, replaced } = overlaid(repository, [mine]);
  expect(rows).toEqual([repository[3], repository[4], mine]);
  expect(own).toEqual([mine]);
  expect(replaced).toEqual(repository.slice(0, 3));
});

test('a skipped local run hides no published measurement, but another gap', () => {
  const skip = { verdict: 'skipped', reason: 'not here' } as const;
  const repository = [row({}, 'theirs'), row({ x: 20, ...skip }, 'theirs')];
  const mine = [row(skip, 'mine'), row({ x: 20, ...skip }, 'mine')];
  expect(overlaid(repository, mine)).toEqual({ rows: [repository[0], mine[1]], own: [mine[1]], replaced: [] });
});

test('the last of several local rows counts, and the repository keeps its own', () => {
  const published = row({}, 'mine');
  const older = row({ x: 20, wallMs: 9 }, 'mine');
  const newer = row({ x: 20 }, 'mine');
  const { rows, own } = overlaid([published], [older, newer, published]);
  expect(rows).toEqual([published, newer]);
  expect(own).toEqual([newer]);
});

test('over a base only new measurements are written; a known measurement is copied where it is not the base’s', async () => {
  const lab = laboratory();
  const experiment = experimentWith({ grid: { ci: [2], laptop: [2], paper: [2] } });
  const base = join(lab.folder, 'base.jsonl');
  await lab.run(experiment);
  copyFileSync(lab.results, base);
  const before = readFileSync(base, 'utf8');

  const results = join(lab.folder, 'own.jsonl');
  const over = { results, others: { base } };
  expect((await lab.run(experiment, over)).summary).toMatchObject({ measured: 0, reused: 1 });
  expect(existsSync(results) ? readRows(results) : []).toEqual([]);

  // With other limits it is measured again; with those of before, the base has it, and ours is renewed.
  const limits = { seconds: 4 };
  expect((await lab.run(experiment, { ...over, limits })).summary).toMatchObject({ measured: 1, reused: 0 });
  expect((await lab.run(experiment, over)).summary).toMatchObject({ measured: 0, reused: 1 });
  const keys = (file: string): string[] => latestRows(readRows(file)).map(({ key }) => key);
  expect(keys(results).toSorted()).toEqual(keys(base).toSorted());

  // To resume continues with one's own results: those of the base are no excuse not to measure.
  const anew = join(lab.folder, 'anew.jsonl');
  const resumed = await lab.run(experiment, { results: anew, others: { base }, limits, resume: true });
  expect(resumed.summary).toMatchObject({ measured: 1, reused: 0 });
  expect(readFileSync(base, 'utf8')).toBe(before);
});

test('rows of another file are taken over, and that file is unchanged', async () => {
  const lab = laboratory();
  const experiment = experimentWith({ grid: { ci: [2], laptop: [2], paper: [2] } });
  await lab.run(experiment);
  const before = readFileSync(lab.results, 'utf8');
  const results = join(lab.folder, 'kept.jsonl');
  const { summary } = await lab.run(experiment, { results, others: { known: lab.results } });
  expect(summary).toMatchObject({ measured: 0, reused: 1 });
  expect(overlaid(readRows(results), readRows(lab.results)).own).toEqual([]);
  expect(readFileSync(lab.results, 'utf8')).toBe(before);
});
