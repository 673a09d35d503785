import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { findBrowser, openBrowser } from '@isolab/needs/browser';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unless } from '@isolab/needs';
import { expect, test } from 'vitest';
import { type Scale, exportFigure, readPapers, readRows, seriesData, writeReports } from '../src/index.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

test('the report makes a page of an experiment, an index, a summary and a leaderboard', async () => {
  const lab = laboratory();
  const series = [
    { name: 'Quick', checker: 'quick' },
    { name: 'Erring', checker: 'quick', variant: 'as-published' },
  ];
  const experiment = experimentWith({ series });
  await lab.run(experiment);
  const folder = join(lab.folder, 'reports');
  const written = await writeReports({ experiments: [experiment], rows: readRows(lab.results), scale: 'ci', folder });
  expect(written).toEqual({ files: 9, png: 1, figures: true });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  expect(read('test/small.html')).toContain('isolab bench test/small --scale ci');
  expect(read('test/small.svg')).toMatch(/^<svg .*prefers-color-scheme:dark/s);
  expect(read('test/small.csv')).toContain('Quick');
  expect(read('index.html')).toContain('test/small.html');
  expect(read('summary.html')).toContain('It ends.');
  expect(read('summary.md')).toContain('| test | 1 | no claims | ✓ 1 holds |');
  expect(read('leaderboard.html')).not.toContain('as-published');
});

const program = findBrowser();

test('the pages lead to one another, and to the figures in files', unless('chromium'), async () => {
  const lab = laboratory();
  const experiment = experimentWith();
  await lab.run(experiment);
  const folder = join(lab.folder, 'reports');
  await writeReports({ experiments: [experiment], rows: readRows(lab.results), scale: 'ci', folder });
  const browser = await openBrowser(program!);
  try {
    const { page, complaints } = await browser.open(pathToFileURL(join(folder, 'index.html')), { width: 390 });
    await page.getByRole('link', { name: 'Reproduced claims' }).click();
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

test('the report makes no PNG if that is not wanted', async () => {
  const lab = laboratory();
  const experiment = experimentWith();
  await lab.run(experiment);
  const folder = join(lab.folder, 'reports');
  const options = { experiments: [experiment], rows: readRows(lab.results), scale: 'ci', folder, png: false } as const;
  expect(await writeReports(options)).toEqual({ files: 8, png: 0, figures: true });
  expect(readFileSync(join(folder, 'test/small.html'), 'utf8')).not.toContain('small.png');
});

test('the report makes pages without figures where nothing draws them, but not where figures must be', async () => {
  const lab = laboratory();
  const experiment = experimentWith();
  await lab.run(experiment);
  const folder = join(lab.folder, 'reports');
  const rows = readRows(lab.results);
  const options = { experiments: [experiment], rows, scale: 'ci', folder, canDraw: false } as const;
  await expect(writeReports({ ...options, png: true })).rejects.toThrow('npm install vega vega-lite');
  await expect(writeReports({ ...options, paperOf: readPapers(lab.folder) })).rejects.toThrow('vega');
  expect(existsSync(folder)).toBe(false);
  expect(await writeReports(options)).toMatchObject({ files: 7, figures: false });
  const page = readFileSync(join(folder, 'test/small.html'), 'utf8');
  expect(page).toContain('Quick');
  expect(page).not.toContain('<figure');
  expect(existsSync(join(folder, 'test/small.svg'))).toBe(false);
});

test('at scale laptop every paper has a page, and a README the outcomes of the largest scales; elsewhere neither', async () => {
  const lab = laboratory();
  const experiment = experimentWith();
  await lab.run(experiment, { scale: 'laptop' });
  await lab.run(experiment, { scale: 'paper', results: join(lab.folder, 'paper.jsonl') });
  const rowsAt = (scale: Scale) => readRows(scale === 'paper' ? join(lab.folder, 'paper.jsonl') : lab.results);
  const readme = join(lab.folder, 'README.md');
  const marks = '<!-- generated:claims -->\nold\n<!-- /generated -->';
  writeFileSync(readme, `# Reports\n${marks}\nEnd\n`);
  const write = (scale: 'ci' | 'laptop', folder: string): Promise<unknown> =>
    writeReports({
      experiments: [experiment],
      rows: readRows(lab.results),
      rowsAt,
      scale,
      folder: join(lab.folder, folder),
      png: false,
      paperOf: readPapers(lab.folder),
      findData: seriesData({ version: 1, datasets: [] }, []),
    });
  await write('ci', 'ci');
  expect(readFileSync(readme, 'utf8')).toContain('old');
  expect(existsSync(join(lab.folder, 'ci', 'test.md'))).toBe(false);
  await write('laptop', 'laptop');
  const text = readFileSync(readme, 'utf8');
  expect(text).toMatch(/^# Reports\n<!-- generated:claims -->\n1 claim of 1 experiment:\n/);
  expect(text).toContain('| on a simulated database | no claims | ✓ 1 holds |');
  expect(text).toMatch(/<!-- \/generated -->\nEnd\n$/);
  const page = readFileSync(join(lab.folder, 'laptop', 'test.md'), 'utf8');
  expect(page).toContain(
    'each claim at the largest scale that measured it: 1 at paper. The figures are of scale laptop',
  );
  const [, picture] = /!\[.*\]\((.*\.svg)\)/.exec(page)!;
  expect(existsSync(join(lab.folder, 'laptop', picture!))).toBe(true);
  expect(readFileSync(join(lab.folder, 'laptop', 'summary.md'), 'utf8')).toContain('[test](test.md)');
});

test('the report exports one figure in every format, or says which command measures it', async () => {
  const lab = laboratory();
  const experiment = experimentWith();
  await lab.run(experiment);
  const rows = readRows(lab.results);
  const begins = async (format: 'pdf' | 'svg' | 'png' | 'csv' | 'md'): Promise<string> => {
    const figure = await exportFigure(experiment, { rows, scale: 'ci', format, width: 241 });
    return 'content' in figure ? Buffer.from(figure.content).toString('latin1').slice(0, 12) : figure.missing;
  };
  expect(await begins('pdf')).toMatch(/^%PDF-1\.4/);
  expect(await begins('svg')).toMatch(/^<svg /);
  expect(await begins('png')).toMatch(/^.PNG/);
  expect(await begins('csv')).toMatch(/^experiment,/);
  expect(await begins('md')).toMatch(/^\| sessions/);
  const other = { rows, scale: 'paper', format: 'pdf', width: 241 } as const;
  expect(await exportFigure(experiment, other)).toEqual({
    missing: 'test/small has no results at scale paper; measure them with isolab bench test/small --scale paper',
  });
  const table = { ...experiment, chart: 'table' } as const;
  expect(await exportFigure(table, { rows, scale: 'ci', format: 'pdf', width: 241 })).toEqual({
    missing: 'test/small is a table; --to csv and --to md write its values',
  });
});
