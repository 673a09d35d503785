import { expect, test } from 'vitest';
import { circlesOf, importsOfFolders } from '../src/circles.ts';
import { longFunctionsOf } from '../src/long-functions.ts';

test('files that import one another are a circle, once', () => {
  const imports = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['a']],
    ['d', []],
  ]);
  expect(circlesOf(imports)).toEqual([['a', 'b', 'c']]);
});

test('folders whose files import one another are a circle, the folder around them included', () => {
  const imports = new Map([
    ['a.ts', ['b/b.ts']],
    ['b/b.ts', ['b/c.ts', 'd.ts']],
    ['e/e.ts', ['b/c.ts']],
  ]);
  expect(circlesOf(importsOfFolders(imports))).toEqual([['.', 'b']]);
});

test('blank lines and comments do not make a function long', () => {
  const text = 'function f() {\n  // one\n\n  return 1;\n}\nconst g = () => {\n  f();\n  f();\n};\n';
  expect(longFunctionsOf('x.ts', text, 3)).toEqual([text.indexOf('() =>')]);
});
