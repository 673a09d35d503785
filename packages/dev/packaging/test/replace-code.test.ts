import { expect, test } from 'vitest';
import { replaceCode } from '../src/replace-code.ts';

const replaced = (code: string): string => replaceCode(code, 'a.js', /import\.meta\.url/g, () => 'URL');

test.each([
  ['load(import.meta.url);', 'load(URL);'],
  ['load(`${import.meta.url}`);', 'load(`${URL}`);'],
  ['load(/* é */ "😀", import.meta.url, `é${1}`, import.meta.url);', 'load(/* é */ "😀", URL, `é${1}`, URL);'],
])('an expression is replaced: %s', (code, expected) => {
  expect(replaced(code)).toBe(expected);
});

test.each([
  'write(`new URL(import.meta.url, ${1})`);',
  'write(`${1} import.meta.url`);',
  "write('import.meta.url');",
  'test(/import.meta.url/);',
  '// import.meta.url\nrun();',
  '/* import.meta.url */ run();',
])('a text stays: %s', (code) => {
  expect(replaced(code)).toBe(code);
});

test('code that does not parse is an error that names the file', () => {
  expect(() => replaced('import.meta.url (')).toThrow(/^a\.js: /);
});
