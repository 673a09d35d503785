/**
 * How the weak levels grow: histories of 100,000 operations, doubled six times, from starting the process to the
 * verdict, best of three. `npm run bench weak-levels [-- LEVEL CHECKER]`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findFormat, writeTo } from '@isolab/formats';
import { generate } from './generate.ts';

const RUNS = 3;
const DOUBLINGS = 6;
const SESSIONS = 50;
const OPERATIONS = 20;

const [level = 'causal', checker = 'weave'] = process.argv.slice(2);
const isolab = fileURLToPath(import.meta.resolve('@isolab/cli').replace(/index\.js$/, 'main.js'));
const folder = await mkdtemp(join(tmpdir(), 'isolab-weak-'));
try {
  console.log(`${checker} at ${level}: operations, seconds from process start to verdict, growth, check alone`);
  let last = 0;
  for (let doubling = 0; doubling <= DOUBLINGS; doubling++) {
    const transactionsPerSession = 100 * 2 ** doubling;
    const path = join(folder, `${doubling}.txt`);
    await writeHistory(path, transactionsPerSession);
    const { seconds, checkMs } = best(path);
    const growth = last === 0 ? '' : `× ${(seconds / last).toFixed(2)}`;
    const operations = SESSIONS * transactionsPerSession * OPERATIONS;
    console.log(
      `${String(operations).padStart(9)}  ${seconds.toFixed(2)} s  ${growth.padEnd(7)}  ${checkMs.toFixed(0)} ms`,
    );
    last = seconds;
    await rm(path);
  }
} finally {
  await rm(folder, { recursive: true });
}

async function writeHistory(path: string, transactionsPerSession: number): Promise<void> {
  const format = findFormat('text');
  if (!format || !('writer' in format) || !format.writer) throw new Error('text cannot be written');
  const keys = Math.max(1000, transactionsPerSession * 10);
  const size = {
    sessions: SESSIONS,
    transactionsPerSession,
    operationsPerTransaction: OPERATIONS,
    keys,
    readShare: 0.5,
  };
  const writer = await format.writer();
  await writeTo(path, (output) => writer.write(generate(size), output));
}

function best(path: string): { readonly seconds: number; readonly checkMs: number } {
  const runs = Array.from({ length: RUNS }, () => {
    const begin = performance.now();
    const { status, stdout } = spawnSync(
      process.execPath,
      [isolab, 'check', path, '--level', level, '--checker', checker, '--output', 'json'],
      { encoding: 'utf8' },
    );
    const seconds = (performance.now() - begin) / 1000;
    if (status !== 0) throw new Error(`isolab ended with ${status}: ${stdout}`);
    const { stages } = JSON.parse(stdout) as { stages: { name: string; ms: number }[] };
    return { seconds, checkMs: stages.filter(({ name }) => name !== 'parse').reduce((sum, { ms }) => sum + ms, 0) };
  });
  return runs.toSorted((a, b) => a.seconds - b.seconds)[0]!;
}
