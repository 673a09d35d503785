// Slow: starts commands from the bundle and without it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { workplace, write } from './support/program.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const { folder, ok, violated } = workplace('bundle');
const fork = fileURLToPath(new URL('../../../../datasets/examples/isolab/two-sessions.jsonl', import.meta.url));
const plugin = write(
  join(folder, 'plugin.mjs'),
  `export default { info: { name: 'content', title: 'always content', version: '1.0.0', apiVersion: 1, paper: null,
     levels: ['causal'], sound: true, complete: true, requires: [], options: {}, variants: {} },
     check: () => ({ status: 'satisfied' }) };`,
);

/** Its imports come from the bundle, where that runs. */
const format = write(
  join(folder, 'format.mjs'),
  `import { FormatError, defineFormat } from 'isolab/plugin';
   import { open } from 'isolab';
   export default defineFormat({ name: 'refused', title: 'nothing', layout: 'stream', fileName: '*.refused',
     matches: () => true, read: async (input) => { throw new FormatError(input.name, null, typeof open); } });`,
);

function isolab(...args: readonly string[]): object {
  const words = [join(root, 'isolab.cjs'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  const out = stdout.replaceAll(/in \d+ ms|(time|timestamp)="[^"]*"|"(?:wallMs|ms|cpuMs|peakRssBytes)":[\d.]+/g, '');
  return { status, out, said: stderr.split('\n').filter((line) => line.startsWith('isolab: ')) };
}

describe('the bundle behaves like the compiled files', () => {
  test.each([
    [[ok, '--level', 'ser']],
    [[violated, ok, '--level', 'all', '--find-all']],
    [[fork, '--level', 'ser', '--place', 'worker']],
    [[fork, '--level', 'causal', '--place', 'process', '--checker', 'plume']],
    [[violated, '--level', 'ser', '--output', 'json', '--shrink']],
    [[ok, '--level', 'causal', '--place', 'thread', '--checker', plugin]],
    [[ok, '--level', 'ser', '--place', 'thread', '--checker', 'baselines-asp']],
    [['missing.txt', '--level', 'ser']],
    [[ok, '--levle', 'ser']],
    [['--help']],
  ])('isolab check %j', (args) => {
    // With --verbose, isolab runs the compiled files.
    expect(isolab('check', ...args)).toEqual(isolab('check', ...args, '--verbose'));
  });

  test.each([
    [['stats', fork]],
    [['stats', ok, '--format', format]],
    [['explain', fork, '-', '--level', 'ser']],
    [['bench', 'no-such-experiment']],
  ])('isolab %j', (args) => {
    expect(isolab(...args)).toEqual(isolab(...args, '--verbose'));
  });
});
