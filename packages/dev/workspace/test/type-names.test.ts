import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkTypeNames } from '../src/type-names.ts';
import { describeViolation } from '../src/violation.ts';

/** Violations of a tree of two packages, `a` and `b`, with these files below `src`. */
function reportFor(files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(path.join(tmpdir(), 'isolab-type-names-'));
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  write('package.json', '{"workspaces":["packages/*/*"]}');
  for (const name of ['a', 'b']) write(`packages/core/${name}/package.json`, `{"name":"@isolab/${name}"}`);
  for (const [file, text] of Object.entries(files)) write(`packages/core/${file}`, text);
  return checkTypeNames(root).map((each) => describeViolation(each));
}

test('a type name that two packages export is refused, also where an index passes it on', () => {
  const report = reportFor({
    'a/src/index.ts': "export type { Step } from './step.ts';\nexport interface Own {}\n",
    'a/src/step.ts': 'export interface Step {}\nexport interface Hidden {}\n',
    'b/src/index.ts': "export * from './step.ts';\n",
    'b/src/step.ts': 'export type Step = string;\nexport class Hidden {}\n',
  });
  expect(report).toMatchInlineSnapshot(`
    [
      "packages/core/b/src/step.ts:1: the exported type Step, which packages/core/a/src/step.ts also exports as another type; one name for one type",
    ]
  `);
});

test('types that one package exports, keeps to itself or renames are accepted', () => {
  expect(
    reportFor({
      'a/src/index.ts': "export type { Step as FirstStep } from './step.ts';\n",
      'a/src/step.ts': 'export interface Step {}\n',
      'b/src/index.ts': 'export interface Step {}\n',
    }),
  ).toEqual([]);
});
