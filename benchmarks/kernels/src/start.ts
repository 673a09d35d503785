/**
 * Measures `isolab check` of text histories as a whole process beside `node -e 0`, interleaved, and keeps the best time
 * and the best CPU time of each. `npm run bench start [-- RUNS [FILE]]` writes them to FILE, such as
 * reports/results/start.json; `npm run generate` makes a table of this file.
 */
import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findFormat, writeTo } from '@isolab/formats';
import { generate, sized } from './kernels/generate.ts';

const ISOLAB = fileURLToPath(new URL('../../../packages/apps/cli/isolab.cjs', import.meta.url));
const LEVEL = 'read-committed';

const [runs = '20', file] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'isolab-start-'));
try {
  const rows = await Promise.all([1000, 10_000, 20_000, 100_000, 200_000].map(written));
  const commands = [['-e', '0'], ...rows.map(({ path }) => [ISOLAB, 'check', path, '-l', LEVEL])];
  const best = commands.map(() => ({ ms: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY }));
  for (let run = 0; run < Number(runs); run++)
    for (const [i, words] of commands.entries()) {
      const { ms, cpuMs } = timesOf(words);
      best[i] = { ms: Math.min(best[i]!.ms, ms), cpuMs: Math.min(best[i]!.cpuMs, cpuMs) };
    }
  const [idle, ...checks] = best;
  const measured = rows.map(({ operations, bytes }, i) => ({ operations, bytes, ...checks[i] }));
  const machine = { cpu: cpus()[0]?.model ?? '', load: Math.round(loadavg()[0]!), node: process.version };
  const result = { ...machine, level: LEVEL, runs: Number(runs), idle, measured };
  console.log(JSON.stringify(result, null, 2));
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(result)}\n`);
} finally {
  await rm(folder, { recursive: true });
}

async function written(operations: number) {
  const path = join(folder, `${operations}.txt`);
  const format = findFormat('text');
  if (!format || !('writer' in format) || !format.writer) throw new Error('text cannot be written');
  const writer = await format.writer();
  await writeTo(path, (output) => writer.write(generate(sized(operations)), output));
  return { path, operations, bytes: statSync(path).size };
}

/** Elapsed time, and CPU time of all threads, in milliseconds; the shell counts the CPU time. */
function timesOf(words: readonly string[]): { readonly ms: number; readonly cpuMs: number } {
  const begin = performance.now();
  const shell = ['-c', '"$0" "$@" >&2 && times', process.execPath, ...words];
  const { status, stdout } = spawnSync('sh', shell, { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}`);
  const ms = performance.now() - begin;
  const spent = [
    ...stdout
      .trim()
      .split('\n')
      .at(-1)!
      .matchAll(/(\d+)m([\d.]+)s/g),
  ];
  const seconds = spent.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0);
  return { ms: Math.round(ms), cpuMs: Math.round(1000 * seconds) };
}
