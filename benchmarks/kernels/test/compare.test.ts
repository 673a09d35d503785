import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type CompareOptions, compareCommits } from '../src/comparison/compare.ts';

const checkouts = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('isolab-compare-'));

/** A repository with a package whose code says how long its kernels take, and whose set-up leaves a mark. */
function repository() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'isolab-repository-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const git = (...words: string[]): string => {
    const author = ['-c', 'user.name=Nobody', '-c', 'user.email=nobody@localhost'];
    const { status, stdout, stderr } = spawnSync('git', [...author, ...words], { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const commit = (thing: object, setup = `process.stdout.write('built')`): void => {
    write('packages/thing/index.js', `export const thing = ${JSON.stringify(thing)};`);
    write('packages/dev/workspace/setup.mjs', setup);
    git('add', '.');
    git('commit', '--quiet', '--message', 'one');
  };
  git('init', '--quiet');
  write('.gitignore', 'node_modules\nprograms\n');
  write('package-lock.json', '{}');
  write('packages/thing/package.json', '{ "name": "thing", "type": "module", "exports": "./index.js" }');
  mkdirSync(join(root, 'node_modules'));
  symlinkSync('../packages/thing', join(root, 'node_modules/thing'));
  const programs = join(root, 'programs');
  cpSync(fileURLToPath(new URL('fixtures', import.meta.url)), programs, { recursive: true });
  writeFileSync(join(programs, 'package.json'), '{ "type": "module" }');
  const said: string[] = [];
  const compare = (changes: Partial<CompareOptions> = {}) =>
    compareCommits({
      root,
      first: 'HEAD~1',
      second: 'HEAD',
      programs,
      words: [],
      rounds: 3,
      signal: new AbortController().signal,
      say: (text) => said.push(text),
      ...changes,
    });
  const before = checkouts();
  const leftOvers = (): string[] => [
    ...git('worktree', 'list', '--porcelain')
      .split('\n')
      .filter((line) => line.startsWith('worktree'))
      .slice(1),
    ...checkouts().filter((name) => !before.includes(name)),
  ];
  return { root, write, commit, compare, leftOvers, said };
}

test('each commit runs with its own code, and missing exports of one are reported', async () => {
  const { commit, compare, leftOvers } = repository();
  commit({ steady: 10, quick: 5 });
  commit({ steady: 10, quick: 10, only: 3 });
  const { comparisons, absent } = await compare();
  expect(comparisons).toMatchObject([
    { name: 'steady', first: 10, second: 10, ratio: 1, verdict: 'same' },
    { name: 'quick', first: 5, second: 10, verdict: 'slower' },
  ]);
  expect(absent).toEqual([{ name: 'only', where: 'HEAD~1', reason: 'it has none' }]);
  expect(leftOvers()).toEqual([]);
});

test('without a second commit, the work tree is meant, as it is', async () => {
  const { commit, write, compare } = repository();
  commit({ steady: 10, only: 1 });
  write('packages/thing/index.js', 'export const thing = { steady: 5, only: 1 };');
  const { comparisons } = await compare({ first: 'HEAD', second: undefined });
  expect(comparisons).toMatchObject([{ name: 'steady', first: 10, second: 5, verdict: 'faster' }, { verdict: 'same' }]);
});

test('a commit that is not there, that is too old, or whose set-up fails is said, and nothing stays', async () => {
  const { commit, compare, leftOvers } = repository();
  commit({ only: 1 });
  commit({ only: 1 }, 'console.error("no compiler"); process.exit(1);');
  await expect(compare({ first: 'nowhere' })).rejects.toThrow('There is no commit nowhere in ');
  await expect(compare()).rejects.toThrow('no compiler');
  expect(leftOvers()).toEqual([]);
});

test('an interruption ends the run, with all its child processes, and leaves nothing', async () => {
  const { commit, compare, leftOvers } = repository();
  const writing = `setInterval(() => require('fs').mkdirSync('late', { recursive: true }), 10)`;
  commit(
    { only: 1 },
    `import { spawnSync } from 'node:child_process'; spawnSync(process.execPath, ['-e', ${JSON.stringify(writing)}]);`,
  );
  commit({ only: 1 });
  const abort = new AbortController();
  const running = compare({ signal: abort.signal });
  setTimeout(() => abort.abort(), 1000);
  await expect(running).rejects.toThrow(/abort/i);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(leftOvers()).toEqual([]);
});
