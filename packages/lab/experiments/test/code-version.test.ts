import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { codeVersion } from '../src/experiment/code-version.ts';

/** A workspace in which a checker uses a kernel, which uses the model, and something from elsewhere. */
function workspace() {
  const root = mkdtempSync(join(tmpdir(), 'isolab-code-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const add = (name: string, dependencies: readonly string[]): void => {
    const manifest = { name: `@isolab/${name}`, version: '1.0.0', dependencies: versions(dependencies) };
    write(`packages/${name}/package.json`, JSON.stringify(manifest));
    write(`packages/${name}/dist/index.js`, `export default '${name}';`);
    mkdirSync(join(root, 'node_modules/@isolab'), { recursive: true });
    symlinkSync(join(root, 'packages', name), join(root, 'node_modules/@isolab', name));
  };
  add('contract', ['@isolab/kernel']);
  add('kernel', ['@isolab/model', 'outside']);
  add('model', []);
  add('unused', []);
  write('node_modules/outside/package.json', '{"name":"outside","version":"1.2.3"}');
  const version = (): string => codeVersion(pathToFileURL(join(root, 'packages/contract/dist/index.js')).href);
  return { root, write, version };
}

const versions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '*']));

test.each([
  ['its own code', 'packages/contract/dist/index.js', 'export default 2;'],
  ['a new file', 'packages/contract/dist/more.js', 'export default 2;'],
  ['the code of a package that it uses', 'packages/kernel/dist/index.js', 'export default 2;'],
  ['the code of one that those use', 'packages/model/dist/deep/index.js', 'export default 2;'],
  ['the version of what is from elsewhere', 'node_modules/outside/package.json', '{"version":"1.2.4"}'],
])('%s changes the version', (_, path, text) => {
  const { write, version } = workspace();
  const before = version();
  expect(version()).toBe(before);
  write(path, text);
  expect(version()).not.toBe(before);
});

test.each([
  ['a package that it does not use', 'packages/unused/dist/index.js'],
  ['the sources that the code was compiled from', 'packages/kernel/src/index.ts'],
  ['the types', 'packages/kernel/dist/index.d.ts'],
])('%s does not', (_, path) => {
  const { write, version } = workspace();
  const before = version();
  write(path, 'export {};');
  expect(version()).toBe(before);
});

test('a file without a package counts by itself', () => {
  const { root, write } = workspace();
  const url = pathToFileURL(join(root, 'mine.mjs')).href;
  write('mine.mjs', 'export default 1;');
  const before = codeVersion(url);
  write('mine.mjs', 'export default 2;');
  expect(codeVersion(url)).not.toBe(before);
});
