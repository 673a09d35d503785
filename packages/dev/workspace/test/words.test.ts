import path from 'node:path';
import { expect, test } from 'vitest';
import { checkWords, subjectsIn, violationsOf } from '../src/words.ts';

test('the texts of this workspace are clean', () => {
  expect(checkWords(path.resolve(import.meta.dirname, '../../../..'))).toEqual([]);
});

test.each([
  ['/** What an anomaly is called. */', 'starts with its noun'],
  ['// Those that committed.', 'starts with its noun'],
  ['/**\n * The reads,\n * of which there are many.\n */', 'N of them'],
  ['/** The order that nobody has seen. */', 'no transaction'],
  ['/** Reads what another transaction wrote. */', 'the versions that'],
  ['/** The same for rows. */', 'the noun'],
  ['/** Stops after so many histories. */', 'named quantity'],
  ['const x = 1; // the process that tells a reader', 'reports'],
  ['// Rows\n// shall match.', 'present tense'],
  ['/** Whether a key has a list. */\nexport function hasList(key: string): boolean {\n  return true;\n}', 'Returns'],
])('the comment %s is refused', (text, expected) => {
  const found = violationsOf('a.ts', `\n${text}\nexport {};\n`);
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
  "const text = 'SELECT told FROM nobody WHERE anew';",
  'interface Node {\n  /** Whether it has a list. */\n  readonly isList: boolean;\n}',
])('%s is fine', (text) => {
  expect(violationsOf('a.ts', text)).toEqual([]);
});

test.each([
  ["const text = 'end after so many histories';", 'named quantity'],
  ['const text = `the reader tells ${key} from ${other}`;', 'reports'],
])('the string of %s is refused', (text, expected) => {
  expect(violationsOf('a.ts', text)).toMatchObject([{ expected: expect.stringContaining(expected) }]);
});

test.each([
  ['is told from one', false],
  ['of lists', false],
  ['a reader takes whatever comes', false],
  ['reads any number of words', false],
  ['reads of lists are counted', true],
  ['a reader refuses an empty file', true],
])('the title "%s" is a sentence: %s', (title, isSentence) => {
  const text = `test.each([1])(${JSON.stringify(title)}, () => {});`;
  expect(violationsOf('a/test/a.test.ts', text)).toHaveLength(isSentence ? 0 : 1);
});

test('prose of a document is checked, and code and quotations are not', () => {
  const text = 'Nobody reads.\n\n> Nobody reads.\n\n```\nNobody reads.\n```\n\nThe code `nobody`.\n';
  expect(violationsOf('a.md', text)).toMatchObject([{ line: 1, expected: expect.stringContaining('the noun') }]);
});

test('a subject of more than 72 characters is refused, and names its commit', () => {
  const [fits, long] = ['x'.repeat(72), 'x'.repeat(73)];
  expect(subjectsIn(`aaa ${fits}\nbbb ${long}\n`)).toMatchObject([
    { file: 'commit bbb', found: 'a subject of 73 characters' },
  ]);
});
