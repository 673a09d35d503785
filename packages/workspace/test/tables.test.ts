import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TABLE_NAMES, regenerate } from '../src/tables.ts';

const pageOf = (name: string): string => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');

test.each(TABLE_NAMES)('the table of docs/%s.md matches the registry; npm run generate writes it', (name) => {
  expect(pageOf(name)).toBe(regenerate(pageOf(name), name));
});

test('a page without the markers is an error', () => {
  const page = pageOf('levels').replace('generated:levels', 'levels');
  expect(() => regenerate(page, 'levels')).toThrow('docs/levels.md has no part between');
});
