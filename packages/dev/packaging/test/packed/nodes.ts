import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { skipUnless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Installed } from './installed.ts';

/** The versions of Node that isolab supports; npm's packages of their programs are named by platform. */
const VERSIONS = [20, 22, 24];
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Uses the library, and a checker in a worker. */
const USE = `
import process from 'node:process';
import { check, open, story, storyMarkdown } from 'isolab';
const history = await open({ text: 'r(x,0) w(x,1)\\nr(x,0) w(x,2)' });
const result = await check(history, { level: 'snapshot-isolation', timeMs: 20000 });
const told = await story(history, result);
console.log(process.versions.node, result.verdict, storyMarkdown(told).includes('Lost update'));
process.exit(0);
`;

/** ESM, worker threads and the command with each version of Node; skipped where npm has none to give. */
export function describeNodes(installed: () => Installed): void {
  const home = mkdtempSync(path.join(tmpdir(), 'isolab-nodes-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  describe.each(VERSIONS)('Node %i', (version) => {
    let program: string | null = null;
    beforeAll(() => {
      program = nodeOf(version, path.join(home, String(version)));
    });

    test('a package on this Node runs the command and the library', (context) => {
      skipUnless(context, 'registry', program !== null, `npm gave no Node ${version}`);
      const { folder, run } = installed();
      const command = path.join(folder, 'node_modules/isolab/isolab.cjs');
      writeFileSync(path.join(folder, 'nodes.txt'), 'r(x,0) w(x,1)\nr(x,0) w(x,2)\n');
      writeFileSync(path.join(folder, 'use-node.mjs'), USE);
      // In two processes, in a worker, and with a limit of memory in a third process.
      for (const limits of [[], ['--time', '20s'], ['--memory', '1GB']]) {
        const { code, out, err } = run(program!, [command, 'check', 'nodes.txt', '--level', 'si', ...limits]);
        expect(err).toBe('');
        expect(code).toBe(1);
        expect(out).toContain('Lost update');
      }
      const { code, out, err } = run(program!, ['use-node.mjs']);
      expect(err).toBe('');
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`^${version}\\.[\\d.]+ violated true\n$`));
    });
  });
}

/** A program of Node of this major version: that of this test, or one of npm's; null if there is none. */
function nodeOf(version: number, folder: string): string | null {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', `${PACKAGE}@${version}`];
  const { status } = spawnSync('npm', words, {
    cwd: folder,
    timeout: 100_000,
    stdio: 'ignore',
    shell: process.platform === 'win32',
  });
  return status === 0 ? path.join(folder, 'node_modules', PACKAGE, 'bin', 'node') : null;
}
