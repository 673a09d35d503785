import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { latticeSvg } from '@isolab/story';
import { architectureSvg } from '../src/architecture-picture.ts';
import { TABLE_PAGES, type TableName, regenerate } from '../src/tables.ts';

const pageOf = (name: TableName): string =>
  readFileSync(new URL(`../../../../${TABLE_PAGES[name]}`, import.meta.url), 'utf8');

test.each(Object.keys(TABLE_PAGES) as TableName[])(
  'the table %s matches its source; npm run generate writes it',
  (name) => {
    expect(pageOf(name)).toBe(regenerate(pageOf(name), name));
  },
);

test('a page without the markers is an error', () => {
  const page = pageOf('levels').replace('generated:levels', 'levels');
  expect(() => regenerate(page, 'levels')).toThrow('docs/levels.md has no part between');
});

test('pictures match their sources; npm run generate writes them', () => {
  const read = (name: string): string => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
  expect(read('levels.svg')).toBe(latticeSvg());
  expect(read('architecture.svg')).toBe(architectureSvg(fileURLToPath(new URL('../../../../', import.meta.url))));
});
