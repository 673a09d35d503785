import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRows, writeReports } from '../src/index.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

test('makes a page of an experiment, an index, a summary and a leaderboard', async () => {
  const lab = laboratory();
  const series = [
    { name: 'Quick', checker: 'quick' },
    { name: 'Erring', checker: 'quick', variant: 'as-published' },
  ];
  const experiment = experimentWith({ series });
  await lab.run(experiment);
  const folder = join(lab.folder, 'reports');
  await writeReports({ experiments: [experiment], rows: readRows(lab.results), scale: 'ci', folder });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  expect(read('test/small.html')).toContain('isolab bench test/small --scale ci');
  expect(read('test/small.svg')).toMatch(/^<svg /);
  expect(read('test/small.csv')).toContain('Quick');
  expect(read('index.html')).toContain('test/small.html');
  expect(read('summary.html')).toContain('It ends.');
  expect(read('leaderboard.html')).not.toContain('as-published');
});
