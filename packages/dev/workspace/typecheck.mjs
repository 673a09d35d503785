/**
 * Checks the types of packages, in sources and tests; without names those of all packages, where unchanged ones come from
 * the cache:
 *
 *   npm run typecheck weave history
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const root = path.resolve(import.meta.dirname, '../../..');
const succeeds = (program, args, cwd = root) =>
  spawnSync(process.execPath, [path.join(root, 'node_modules', program), ...args], { cwd, stdio: 'inherit' }).status ===
  0;

function folderOf(name) {
  const rings = [...readdirSync(path.join(root, 'packages')).map((ring) => `packages/${ring}`), 'benchmarks'];
  const folder = rings
    .map((ring) => path.join(root, ring, name))
    .find((each) => existsSync(path.join(each, 'tsconfig.json')));
  if (folder === undefined) process.stderr.write(`There is no package ${name}: npm run typecheck weave history\n`);
  return folder;
}

const names = process.argv.slice(2);
const failed = names.filter((name) => {
  const folder = folderOf(name);
  return folder === undefined || !succeeds('typescript/bin/tsc', ['-p', 'tsconfig.json'], folder);
});
const all = ['run-many', '--targets=typecheck', '--outputStyle=static-failures-only'];
const succeeded = names.length === 0 ? succeeds('nx/dist/bin/nx.js', all) : failed.length === 0;
process.exitCode = succeeded ? 0 : 1;
