import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { regenerate } from '../src/readme.ts';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

test('the tables of the README are those of the registries; npm run generate writes them', () => {
  expect(readme).toBe(regenerate(readme));
});

test('a README without the marks is an error', () => {
  expect(() => regenerate(readme.replace('generated:levels', 'levels'))).toThrow('no part between');
});
