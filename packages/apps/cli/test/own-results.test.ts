/** Measuring in a clone changes no file that git tracks, unless that is asked for. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { laboratory } from './support/figures-lab.ts';
import { isolab } from './support/isolab.ts';

const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url));

/** A laboratory that git tracks, with the ignored paths of this repository. */
function clone(): { readonly root: string; readonly changed: () => string } {
  const root = laboratory();
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { encoding: 'utf8' });
  copyFileSync(fileURLToPath(new URL('../../../../.gitignore', import.meta.url)), join(root, '.gitignore'));
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'A laboratory');
  return { root, changed: () => git('status', '--porcelain') };
}

test('bench and report leave a clean tree, and the measurements can be published later', async () => {
  const { root, changed } = clone();
  const bench = (...flags: readonly string[]): ReturnType<typeof isolab> =>
    isolab('bench', 'mine/fig1', '--root', root, ...flags);

  const measured = await bench();
  expect(measured.code).toBe(0);
  expect(measured.out).toContain(`${join(root, 'reports/local/results/ci.jsonl')}: 2 measured, 0 known before`);
  expect(measured.err).toContain('To make their pages: isolab bench report mine/fig1 --scale ci');
  expect((await isolab('bench', 'report', '--root', root, '--skip', 'png')).code).toBe(0);
  expect((await isolab('bench', 'report', 'mine', '--root', root, '--skip', 'png')).code).toBe(0);
  expect(changed()).toBe('');
  expect((await bench()).out).toContain('0 measured, 2 known before');

  const published = await bench('--publish');
  expect(published.out).toContain(`${join(root, 'reports/results/ci.jsonl')}: 0 measured, 2 known before`);
  expect(changed()).toBe(' M reports/results/ci.jsonl\n');
  const page = await isolab('bench', 'report', 'mine/fig1', '--root', root, '--skip', 'png');
  expect(readFileSync(page.out.split(': ')[0]!, 'utf8')).toContain('None of the results is your own');
});

test('a published measurement with the same code on such a machine is not repeated', async () => {
  const { root, changed } = clone();
  const first = await isolab('bench', 'mine/fig1', '--root', root, '--publish');
  expect(first.out).toContain('2 measured, 0 known before');
  const kept = changed();
  const again = await isolab('bench', 'mine/fig1', '--root', root);
  expect(again.out).toContain('0 measured, 2 known before');
  expect(changed()).toBe(kept);
  const fresh = await isolab('bench', 'mine/fig1', '--root', root, '--again', 'results');
  expect(fresh.out).toContain('2 measured, 0 known before');
  expect(changed()).toBe(kept);
});

test('isolab list claims prints the place in the paper, its number and the measured one', async () => {
  const { code, out } = await isolab('list', 'claims', 'polysi/fig6a', '--scale', 'laptop', '--root', REPOSITORY);
  expect(code).toBe(0);
  expect(out).toMatch(/ {2}≈ direction only {2}PolySI is faster than CobraSI without a GPU/);
  expect(out).toMatch(
    /the paper, Section 5\.4\.1, Figure 6a: PolySI .*\n +here, at scale laptop: .* in the paper’s figure/,
  );
  expect(out).toMatch(/\nclaims of the paper: .*; our own checks: .*; each claim at .*: \d+ at laptop\. Checks/);
  const all = await isolab('list', 'claims', 'polysi/fig6a', '--root', REPOSITORY);
  expect(all.out).toMatch(/here, at scale paper: /);
  expect(all.out).toMatch(/: \d+ at paper(?:, \d+ at laptop)?\. Checks/);
});

test('rows of uncommitted code are not published', async () => {
  const { root } = clone();
  mkdirSync(join(root, 'packages'));
  writeFileSync(join(root, 'packages/changed.ts'), 'changed');
  const { code, err } = await isolab('bench', 'mine/fig1', '--root', root, '--publish');
  expect(code).toBe(3);
  expect(err).toMatch(/packages\/ has changes that commit [0-9a-f]+ lacks/);
});

test('isolab bench refuses --out together with --publish', async () => {
  const { root } = clone();
  const { code, err } = await isolab('bench', 'mine/fig1', '--root', root, '--out', 'a.jsonl', '--publish');
  expect(code).toBe(3);
  expect(err).toContain('--out names a file and --publish writes to reports/results/; choose one.');
});
