import path from 'node:path';
import { expect, test } from 'vitest';
import { checkWords, subjectsIn, wordsOf } from '../src/words.ts';

test('the comments of this workspace are clean', () => {
  expect(checkWords(path.resolve(import.meta.dirname, '../../../..'))).toEqual([]);
});

test.each([
  ['/** What an anomaly is called. */', 'starts with its noun'],
  ['// Those that committed.', 'starts with its noun'],
  ['/**\n * The reads,\n * of which there are many.\n */', 'N of them'],
  ['/** The order that nobody has seen. */', 'no transaction'],
  ['/** Stops after so many histories. */', 'named quantity'],
  ['const x = 1; // the process that tells a reader', 'reports'],
  ['// Rows\n// shall match.', 'present tense'],
])('%s is refused', (text, expected) => {
  const found = wordsOf('a.ts', `\n${text}\nexport {};\n`);
  expect(found).toEqual([
    {
      file: 'a.ts',
      line: 2,
      found: expect.stringMatching(/^the comment "/),
      expected: expect.stringContaining(expected),
    },
  ]);
});

test.each([
  '/** Name of an anomaly. */',
  '// oxlint-disable-next-line max-lines',
  "const text = 'nobody'; // the text",
])('%s is fine', (text) => {
  expect(wordsOf('a.ts', text)).toEqual([]);
});

test('a subject of more than 72 characters is refused, and names its commit', () => {
  const [fits, long] = ['x'.repeat(72), 'x'.repeat(73)];
  expect(subjectsIn(`aaa ${fits}\nbbb ${long}\n`)).toMatchObject([
    { file: 'commit bbb', found: 'a subject of 73 characters' },
  ]);
});
