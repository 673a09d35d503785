import { expect, test } from 'vitest';
import { parseJson } from '../../src/index.ts';

test.each([
  ['{"a":[1,-2.5e3,"x\\u00e4"],"__proto__":{"b":null},"c":true}'],
  ['[]'],
  [`${'['.repeat(400)}${']'.repeat(400)}`],
  [' {"a":{"a":1},"b":{"a":2}} \n'],
])('the parser agrees with JSON.parse: %s', (text) => {
  expect(parseJson(text, 'file')).toEqual(JSON.parse(text));
});

test.each([
  ['{"a":1,\n "a":2}', 'file, line 2, column 2: found "a", expected a key that is not in the object yet'],
  ['{"a":[{"b":1,"\\u0062":1}]}', 'file, line 1, column 14: found "\\u0062", expected a key'],
  ['{"a":1} {', "file, line 1, column 9: found '{'"],
  ['{"a":01}', "file, line 1, column 6: found '01'"],
  ['', 'file, line 1, column 1: found the end of the input, expected a value'],
  ['{"a":', 'file, line 1, column 6: found the end of the input'],
])('the parser refuses, with the place: %s', (text, message) => {
  expect(() => parseJson(text, 'file')).toThrow(message);
});
