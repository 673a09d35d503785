import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gallery } from '../src/gallery.ts';

test('the gallery is what isolab draws; npm run generate writes it', { timeout: 60_000 }, async () => {
  const files = await gallery();
  expect(files.length).toBeGreaterThan(30);
  for (const { path, content } of files)
    expect(readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')).toBe(content);
});
