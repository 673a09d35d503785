import { readFileSync } from 'node:fs';
import { findBrowser, openBrowser } from '@isolab/browser';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
  const written = await writeReports({ experiments: [experiment], rows: readRows(lab.results), scale: 'ci', folder });
  expect(written).toEqual({ files: 9, png: 1 });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  expect(read('test/small.html')).toContain('isolab bench test/small --scale ci');
  expect(read('test/small.svg')).toMatch(/^<svg /);
  expect(read('test/small.csv')).toContain('Quick');
  expect(read('index.html')).toContain('test/small.html');
  expect(read('summary.html')).toContain('It ends.');
  expect(read('summary.md')).toContain('| test | 1 | nothing claimed | ✓ 1 holds |');
  expect(read('leaderboard.html')).not.toContain('as-published');
});

const program = findBrowser();

test.skipIf(program === undefined)('the pages lead to one another, and to the figures in files', async () => {
  const lab = laboratory();
  const experiment = experimentWith();
  await lab.run(experiment);
  const folder = join(lab.folder, 'reports');
  await writeReports({ experiments: [experiment], rows: readRows(lab.results), scale: 'ci', folder });
  const browser = await openBrowser(program!);
  try {
    const { page, complaints } = await browser.open(pathToFileURL(join(folder, 'index.html')), { width: 390 });
    await page.getByRole('link', { name: 'What was reproduced' }).click();
    await page.getByRole('link', { name: 'small: Small' }).click();
    expect(await page.title()).toBe('test/small: Small');
    await page.getByRole('link', { name: 'PNG' }).click();
    expect(page.url()).toMatch(/small\.png$/);
    expect(await page.evaluate('document.images[0].naturalWidth')).toBeGreaterThan(600);
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('makes no PNG if that is not wanted', async () => {
  const lab = laboratory();
  const experiment = experimentWith();
  await lab.run(experiment);
  const folder = join(lab.folder, 'reports');
  const options = { experiments: [experiment], rows: readRows(lab.results), scale: 'ci', folder, png: false } as const;
  expect(await writeReports(options)).toEqual({ files: 8, png: 0 });
  expect(readFileSync(join(folder, 'test/small.html'), 'utf8')).not.toContain('small.png');
});
