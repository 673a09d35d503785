/** Inputs of a cached test result: a change outside its key hides a failure. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { workspaceFolders } from '../src/packages.ts';

type Input = string | object;
interface Target {
  readonly inputs?: readonly Input[];
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const { targetDefaults } = JSON.parse(read('nx.json')) as { targetDefaults: { test: Target } };

const packages = workspaceFolders(root).map((folder) => {
  const { nx } = JSON.parse(read(`${folder}/package.json`)) as { nx?: { targets?: { test?: Target } } };
  return { folder, inputs: nx?.targets?.test?.inputs ?? targetDefaults.test.inputs! };
});

test('every package’s tests depend on the installed tools and on the variables that choose tests', () => {
  const isWhole = (inputs: readonly Input[]): boolean => inputs.includes('tests') && inputs.includes('^sources');
  expect(packages.filter(({ inputs }) => !isWhole(inputs)).map(({ folder }) => folder)).toEqual([]);
  expect(read('nx.json')).toContain('node packages/dev/needs/dist/here-main.js');
});

test('the cached tests depend on every file outside the package that they name', () => {
  const unknown = packages.flatMap(({ folder, inputs }) =>
    filesIn(`${folder}/test`).flatMap((file) => {
      const names = [...read(file).matchAll(/'((?:\.\.\/)+[\w.-][^'$`]*)'/g)].map(([, name]) => name!);
      return names
        .map((name) => path.posix.join(path.posix.dirname(file), name))
        .filter((name) => !/^\.{1,2}(?:\/|$)/.test(name) && !name.startsWith(folder) && !isOurs(name))
        .filter((name) => existsSync(path.join(root, name)))
        .filter((name) => !inputs.some((input) => typeof input === 'string' && covers(input, name)))
        .map((name) => `${file}: ${name}`);
    }),
  );
  expect(unknown).toEqual([]);
});

/** Whatever the key of every package has, or is made of it. */
const isOurs = (name: string): boolean => /^(?:node_modules|package-lock\.json|packages\/[^/]+\/dist\/)/.test(name);

/** Returns whether an input of nx covers a file, or files in a folder. */
function covers(input: string, name: string): boolean {
  const [, pattern] = /^\{workspaceRoot\}\/(.*)$/.exec(input) ?? [];
  if (pattern === undefined) return false;
  const [before] = pattern.split('*');
  return pattern.includes('**') ? `${name}/`.startsWith(before!) : name === pattern;
}

function filesIn(folder: string): string[] {
  try {
    const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    return names
      .filter((name) => name.endsWith('.ts') && !name.includes('fixtures'))
      .map((name) => `${folder}/${name}`);
  } catch {
    return []; // it has no tests
  }
}
