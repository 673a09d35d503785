/** The set-up of a clone, with tools that only say when they are called. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';

const setup = path.resolve(import.meta.dirname, '../setup.mjs');

/** A clone in which everything is installed, and whose compiler notes when it begins and ends. */
function clone(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'isolab-setup-'));
  const file = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  const note = (word: string): string => `require('node:fs').appendFileSync('log', '${word}\\n');`;
  file('package-lock.json', '{}');
  file('node_modules/.isolab-lock-hash', createHash('sha256').update('{}').digest('hex'));
  file('node_modules/typescript/bin/tsc', `${note('begin')} setTimeout(() => { ${note('end')} }, 700);`);
  file('packages/dev/packaging/dist/bundle-main.js', '');
  mkdirSync(path.join(root, 'packages/dev/workspace'), { recursive: true });
  cpSync(setup, path.join(root, 'packages/dev/workspace/setup.mjs'));
  return root;
}

function start(root: string) {
  const child = spawn(process.execPath, ['packages/dev/workspace/setup.mjs'], { cwd: root });
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const ended = new Promise<number | string | null>((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? signal)),
  );
  return { child, ended, said: () => said };
}

const logOf = (root: string): string => readFileSync(path.join(root, 'log'), 'utf8').replaceAll('\n', ' ').trim();

test('two at once build one after the other, and one says that it waits', async () => {
  const root = clone();
  const both = [start(root), start(root)];
  expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0]);
  expect(logOf(root)).toBe('begin end begin end');
  expect(
    both.filter(({ said }) => /waiting for another set-up of this clone \(process \d+\)/.test(said())),
  ).toHaveLength(1);
});

test('one that was killed is not waited for', async () => {
  const root = clone();
  const killed = start(root);
  await vi.waitUntil(() => killed.said().includes('building'), { timeout: 120_000 });
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(await start(root).ended).toBe(0);
});
