import { readFileSync, readdirSync } from 'node:fs';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { gallery, isOfDatasets } from '../src/gallery.ts';

const docs = new URL('../../../../docs/', import.meta.url);
const committed = (path: string): string => readFileSync(new URL(path, docs), 'utf8');
const datasets = process.env['ISOLAB_DATASETS'];

describe('the gallery is what isolab draws; npm run generate writes it', () => {
  test('what is made without datasets', async () => {
    const files = await gallery(undefined, committed('gallery.md'));
    expect(files.length).toBeGreaterThan(40);
    for (const { path, content } of files) expect(committed(path)).toBe(content);
    const expected = files.flatMap(({ path }) => (path.startsWith('gallery/') ? [path.slice(8)] : []));
    const others = readdirSync(new URL('gallery/', docs)).filter((name) => !isOfDatasets(name));
    expect(others.toSorted()).toEqual(expected.toSorted());
  });

  test('bugs of real databases', unless('datasets'), async () => {
    const files = await gallery(datasets, '');
    const real = files.filter(({ path }) => isOfDatasets(path));
    expect(real.length).toBeGreaterThan(15);
    for (const { path, content } of [files[0]!, ...real]) expect(committed(path)).toBe(content);
    const drawn = readdirSync(new URL('gallery/', docs)).filter((name) => isOfDatasets(name));
    expect(drawn.toSorted()).toEqual(real.map(({ path }) => path.slice(8)).toSorted());
  });

  test('every picture that the page shows is there, and no path of a machine', () => {
    const page = committed('gallery.md');
    const shown = [...page.matchAll(/\]\((gallery\/[^)]+)\)/g)].map(([, path]) => path!);
    expect(shown.length).toBeGreaterThan(50);
    for (const path of shown) expect(committed(path)).not.toMatch(/\/(work|home|tmp)\//);
    expect(page).not.toMatch(/\/(work|home|tmp)\//);
  });
});
