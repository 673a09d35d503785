import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { workplace, write } from './support/program.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const { folder, ok, violated } = workplace('bundle');
const fork = fileURLToPath(new URL('../../../datasets/examples/isolab/two-sessions.jsonl', import.meta.url));
const plugin = write(
  join(folder, 'plugin.mjs'),
  `export default { info: { name: 'content', title: 'always content', version: '1.0.0', apiVersion: 1, paper: null,
     levels: ['causal'], sound: true, complete: true, requires: [], options: {}, variants: {} },
     check: () => ({ status: 'satisfied' }) };`,
);

function check(...args: readonly string[]): object {
  const words = [join(root, 'isolab.cjs'), 'check', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  const out = stdout.replaceAll(/in \d+ ms|(time|timestamp)="[^"]*"|"(?:wallMs|ms|cpuMs|peakRssBytes)":[\d.]+/g, '');
  return { status, out, said: stderr.split('\n').filter((line) => line.startsWith('isolab: ')) };
}

describe.skipIf(!existsSync(join(root, 'bundle')))('the bundle of isolab check does what the compiled files do', () => {
  test.each([
    [[ok, '--level', 'ser']],
    [[violated, ok, '--level', 'all', '--find-all']],
    [[fork, '--level', 'ser', '--place', 'worker']],
    [[fork, '--level', 'causal', '--place', 'process', '--checker', 'plume']],
    [[violated, '--level', 'ser', '--output', 'junit', '--shrink']],
    [[violated, '--level', 'ser', '--output', 'json', '--shrink']],
    [[ok, '--level', 'causal', '--place', 'thread', '--checker', plugin]],
    [['missing.txt', '--level', 'ser']],
    [[ok, '--level', 'nothing']],
    [[ok, '--levle', 'ser']],
    [['--help']],
  ])('isolab check %j', (args) => {
    // With --verbose, isolab runs the compiled files.
    expect(check(...args)).toEqual(check(...args, '--verbose'));
  });
});
