import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apiPage, hasExample, isCalled, libraryExports } from '../src/api/page.ts';

const called = libraryExports().filter(isCalled);

describe.each(called.map((declared) => [declared.name, declared] as const))('%s', (_, declared) => {
  test('says what it is, and has an example', () => {
    expect(declared.comment).not.toBe('');
    expect(hasExample(declared)).toBe(true);
  });
});

test('signatures have no bodies', () => {
  for (const { signature, kind } of called)
    if (kind === 'function') expect(signature).toMatch(/^(async )?function \w+.*\)(: .*)?$/s);
  expect(called.find(({ name }) => name === 'Recorder')!.signature).toContain('  begin(');
  expect(called.find(({ name }) => name === 'Recorder')!.signature).not.toContain('#');
});

test('docs/api.md matches the sources; npm run generate writes it', () =>
  expect(readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8')).toBe(apiPage()));
