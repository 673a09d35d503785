import { describe, expect, test } from 'vitest';
import { apiReference, hasExample, isCalled, libraryExports } from '../src/reference/api.ts';

const all = libraryExports();
const called = all.filter(isCalled);

describe.each(called.map((declared) => [declared.name, declared] as const))('%s', (_, declared) => {
  test('an export has a description and an example', () => {
    expect(declared.comment).not.toBe('');
    expect(hasExample(declared)).toBe(true);
  });
});

test('signatures show neither bodies nor private members', () => {
  for (const { signature } of all) expect(signature).not.toMatch(/^declare|#private|=> \{$/m);
  const recorder = called.find(({ name }) => name === 'Recorder')!;
  expect(recorder.kind).toBe('class');
  expect(recorder.signature).toContain('\n  begin(');
});

test('the reference has every export once', () => {
  const headings = [...apiReference().matchAll(/^##+ (\w+)$/gm)].map(([, name]) => name!);
  const expected = [...all.map(({ name }) => name), 'Constants', 'Types'];
  expect(headings.toSorted()).toEqual(expected.toSorted());
  expect(expected).toContain('check');
});
