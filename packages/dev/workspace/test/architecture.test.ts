import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkArchitecture } from '../src/architecture.ts';
import { describeViolation } from '../src/violation.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const cleanTree = path.join(import.meta.dirname, 'fixtures/clean');
const trees: string[] = [];

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true });
});

/** Violations of a copy of the clean tree in which these files are added or replaced. */
function reportFor(files: Record<string, string>): string[] {
  const tree = mkdtempSync(path.join(tmpdir(), 'isolab-architecture-'));
  trees.push(tree);
  cpSync(cleanTree, tree, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
  }
  return checkArchitecture(tree).map((each) => describeViolation(each));
}

/** A file of the clean tree with one text replaced by another. */
function edited(file: string, from: string, to: string): Record<string, string> {
  const text = readFileSync(path.join(cleanTree, file), 'utf8');
  expect(text).toContain(from);
  return { [file]: text.replace(from, to) };
}

test('this workspace is clean', () => {
  expect(checkArchitecture(root).map((each) => describeViolation(each))).toEqual([]);
});

test('the clean tree that the other tests damage is clean', () => {
  expect(reportFor({})).toEqual([]);
});

const upwards = 'sources of ring core use @isolab/cli of ring apps; allowed are core';

describe('an arrow that points upwards is reported with file, line and the allowed direction', () => {
  test.each([
    ['a static import', `import { main } from '@isolab/cli';`],
    ['a type-only import', `import type { Main } from '@isolab/cli';`],
    ['an import for its effects', `import '@isolab/cli';`],
    ['a re-export of names', `export { main } from '@isolab/cli';`],
    ['a re-export of types', `export type { Main } from '@isolab/cli';`],
    ['a re-export of everything', `export * from '@isolab/cli';`],
    ['a dynamic import', `await import('@isolab/cli');`],
    ['a dynamic import of a template', 'await import(`@isolab/cli`);'],
    ['an import type', `export type Main = import('@isolab/cli').Main;`],
    ['import.meta.resolve', `import.meta.resolve('@isolab/cli');`],
    ['require', `require('@isolab/cli');`],
    ['require.resolve', `require.resolve('@isolab/cli');`],
    ['import … = require', `import cli = require('@isolab/cli');`],
  ])('%s', (_, line) => {
    expect(reportFor({ 'packages/core/history/src/up.ts': `// first line\n${line}\n` })).toEqual([
      `packages/core/history/src/up.ts:2: ${upwards}`,
    ]);
  });

  test('a deep import', () => {
    expect(reportFor({ 'packages/core/history/src/up.ts': `import '@isolab/cli/src/main.ts';` })).toEqual([
      `packages/core/history/src/up.ts:1: ${upwards}`,
    ]);
  });

  test('a dependency in package.json alone', () => {
    const change = edited(
      'packages/core/history/package.json',
      '"private"',
      '"dependencies": { "@isolab/cli": "0.1.0" },\n  "private"',
    );
    expect(reportFor(change)).toContain(`packages/core/history/package.json:4: ${upwards}`);
  });

  test('a checker that imports another checker', () => {
    expect(reportFor({ 'packages/checkers/one/src/up.ts': `import '@isolab/two';` })).toEqual([
      'packages/checkers/one/src/up.ts:1: sources of ring checkers use @isolab/two of ring checkers; ' +
        'allowed are core',
    ]);
  });

  test('sources that import test packages', () => {
    expect(reportFor({ 'packages/checkers/one/src/up.ts': `import '@isolab/testkit';` })).toEqual([
      'packages/checkers/one/src/up.ts:1: sources of ring checkers use @isolab/testkit of ring proof; ' +
        'allowed are core',
    ]);
  });

  test('tests that import more than is for tests', () => {
    expect(reportFor({ 'packages/checkers/one/test/up.test.ts': `import '@isolab/cli';` })).toEqual([
      'packages/checkers/one/test/up.test.ts:1: tests of ring checkers use @isolab/cli of ring apps; ' +
        'allowed are core, proof, sources, dev',
    ]);
  });
});

test('a skin that imports the insides of the library is reported', () => {
  const library = { name: 'isolab', private: true, exports: { '.': './dist/index.js' } };
  const report = reportFor({
    'packages/library/isolab/package.json': JSON.stringify(library),
    'packages/apps/cli/src/inside.ts': `import '@isolab/one';`,
  });
  expect(report).toContain(
    "packages/apps/cli/src/inside.ts:1: import of '@isolab/one'; @isolab/cli is a skin: import the module from an entry of isolab",
  );
});

test('words and calls that only look like imports are not reported', () => {
  const text = [
    `// import '@isolab/cli'`,
    `export const help = 'try @isolab/cli';`,
    `path.resolve('@isolab/cli');`,
    `Promise.resolve('@isolab/cli');`,
  ].join('\n');
  expect(reportFor({ 'packages/core/history/src/words.ts': text })).toEqual([]);
});

describe('a package is reached by its name and its exports only', () => {
  test.each([
    [
      'a relative import into another package',
      '../../../apps/cli/src/index.ts',
      "'../../../apps/cli/src/index.ts' leaves the package @isolab/history",
    ],
    [
      'a relative import into the workspace',
      '../../../../nx.json',
      "'../../../../nx.json' leaves the package @isolab/history",
    ],
    ['a relative import from sources into tests', '../test/helper.ts', "'../test/helper.ts' leaves src/"],
    ['its own name', '@isolab/history', '@isolab/history imports itself by name'],
  ])('%s', (_, specifier, found) => {
    const report = reportFor({ 'packages/core/history/src/out.ts': `\nimport '${specifier}';\n` });
    expect(report).toHaveLength(1);
    expect(report[0]).toContain(`packages/core/history/src/out.ts:2: ${found}; `);
  });

  test('a deep import along an allowed arrow', () => {
    expect(reportFor({ 'packages/checkers/one/src/deep.ts': `import '@isolab/history/src/index.ts';` })).toEqual([
      "packages/checkers/one/src/deep.ts:1: deep import of '@isolab/history/src/index.ts'; " +
        '@isolab/history exports @isolab/history, @isolab/history/notation',
    ]);
  });

  test('a second entry that is exported is fine', () => {
    expect(reportFor({ 'packages/checkers/one/src/fine.ts': `import '@isolab/history/notation';` })).toEqual([]);
  });
});

describe('package.json lists the imports of the files', () => {
  const manifest = 'packages/checkers/two/package.json';

  test('an undeclared workspace package', () => {
    expect(reportFor({ 'packages/checkers/two/src/use.ts': `import '@isolab/history';` })).toEqual([
      'packages/checkers/two/src/use.ts:1: import of undeclared @isolab/history; ' +
        `declare it under dependencies in ${manifest}`,
    ]);
  });

  test('a workspace package that only devDependencies declare', () => {
    const change = edited(manifest, '"private"', '"devDependencies": { "@isolab/history": "0.1.0" },\n  "private"');
    const use = { 'packages/checkers/two/src/use.ts': `import '@isolab/history';` };
    expect(reportFor({ ...change, ...use })).toContain(
      'packages/checkers/two/src/use.ts:1: import of undeclared @isolab/history; ' +
        `declare it under dependencies in ${manifest}`,
    );
  });

  test('a dependency that nothing uses', () => {
    const change = edited('packages/checkers/one/src/index.ts', '@isolab/history', './other.ts');
    expect(reportFor(change)).toEqual([
      'packages/checkers/one/package.json:6: nothing uses @isolab/history; remove it from dependencies',
    ]);
  });

  test('a dependency that only tests use', () => {
    const change = edited('packages/checkers/one/src/index.ts', '@isolab/history', './other.ts');
    expect(reportFor({ ...change, 'packages/checkers/one/test/use.test.ts': `import '@isolab/history';` })).toEqual([
      'packages/checkers/one/package.json:6: only tests use @isolab/history; move it to devDependencies',
    ]);
  });

  test('a development dependency that no test uses', () => {
    const change = edited('packages/checkers/one/test/one.test.ts', '@isolab/testkit', 'vitest');
    expect(reportFor(change)).toEqual([
      'packages/checkers/one/package.json:9: no test uses @isolab/testkit; remove it from devDependencies',
    ]);
  });

  test('an undeclared third-party package', () => {
    expect(reportFor({ 'packages/core/history/src/use.ts': `import 'left-pad/deep.js';` })).toEqual([
      'packages/core/history/src/use.ts:1: import of undeclared left-pad; declare it in packages/core/history/package.json',
    ]);
  });

  test("the root's tools are for tests, not for sources", () => {
    const use = `import 'vitest';`;
    expect(reportFor({ 'packages/core/history/test/use.test.ts': use })).toEqual([]);
    expect(reportFor({ 'packages/core/history/src/use.ts': use })).toHaveLength(1);
  });

  test('a name in a table of plug-ins is a use', () => {
    // The clean tree's cli loads @isolab/one by such a table.
    const change = edited('packages/apps/cli/src/index.ts', "'@isolab/one'", '');
    expect(reportFor(change)).toEqual([
      'packages/apps/cli/package.json:6: nothing uses @isolab/one; remove it from dependencies',
    ]);
  });
});

describe("sources of pure packages may not use Node's modules", () => {
  test.each(['node:fs', 'fs', 'fs/promises', 'node:test'])('%s', (specifier) => {
    expect(reportFor({ 'packages/core/history/src/impure.ts': `import '${specifier}';` })).toEqual([
      `packages/core/history/src/impure.ts:1: import of '${specifier}'; ` +
        "@isolab/history is pure: its sources may not use Node's modules",
    ]);
  });

  test('their tests and other packages may', () => {
    const use = `import 'node:fs';`;
    expect(reportFor({ 'packages/core/history/test/fine.test.ts': use, 'packages/apps/cli/src/fine.ts': use })).toEqual(
      [],
    );
  });
});

describe('references of tsconfig files match the packages', () => {
  const config = 'packages/checkers/one/tsconfig.build.json';
  const advice = 'references must match the dependencies of packages/checkers/one/package.json';

  test('a missing one', () => {
    expect(reportFor({ [config]: '{\n  "references": []\n}\n' })).toEqual([
      `${config}:2: no reference to packages/core/history/tsconfig.build.json; ${advice}`,
    ]);
  });

  test('one reference too many is reported', () => {
    const references = ['../../core/history', '../two'].map((each) => `    { "path": "${each}/tsconfig.build.json" }`);
    expect(reportFor({ [config]: `{\n  "references": [\n${references.join(',\n')}\n  ]\n}\n` })).toEqual([
      `${config}:4: reference to ../two/tsconfig.build.json; ${advice}`,
    ]);
  });

  test('a package that the whole build leaves out', () => {
    const change = edited('packages/tsconfig.json', '{ "path": "core/history/tsconfig.build.json" },', '');
    expect(reportFor(change)).toEqual([
      'packages/tsconfig.json:2: no reference to packages/core/history/tsconfig.build.json; ' +
        'references must match the packages that have a tsconfig.build.json',
    ]);
  });
});

test.each(['packages/other/stray', 'packages/stray/deep'])(
  'a package in %s, outside the rings, is reported',
  (folder) => {
    expect(reportFor({ [`${folder}/package.json`]: '{\n  "name": "@isolab/stray"\n}\n' })).toEqual([
      `${folder}/package.json:2: @isolab/stray lies in ${folder}, which is not in a ring; ` +
        'expected packages/RING/NAME, a ring of core, checkers, proof, sources, library, field, lab, apps, dev',
    ]);
  },
);

test('folders of a package that import each other are reported once', () => {
  const files = {
    'packages/checkers/one/src/rows/row.ts': `import '../key.ts';`,
    'packages/checkers/one/src/key.ts': `\nimport './rows/row.ts';`,
  };
  expect(reportFor(files)).toEqual([
    'packages/checkers/one/src/key.ts:2: folders import each other in a circle: ' +
      'packages/checkers/one/src, packages/checkers/one/src/rows; ' +
      'move what the others need into a folder that imports none of them',
  ]);
});

test('a cycle of packages, even through tests, is reported once with its whole way', () => {
  const dependency = '"devDependencies": { "@isolab/testkit": "0.1.0" },\n  "private"';
  const change = edited('packages/core/history/package.json', '"private"', dependency);
  const use = { 'packages/core/history/test/use.test.ts': `import '@isolab/testkit';` };
  expect(reportFor({ ...change, ...use })).toEqual([
    'packages/proof/testkit/package.json:6: a cycle of packages: ' +
      '@isolab/history → @isolab/testkit → @isolab/history; dependencies must not lead back',
  ]);
});

test('a file that cannot be parsed is an error that names it', () => {
  expect(() => reportFor({ 'packages/core/history/src/broken.ts': 'import {' })).toThrow(
    'packages/core/history/src/broken.ts',
  );
});
