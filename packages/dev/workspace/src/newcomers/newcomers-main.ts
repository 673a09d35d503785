/**
 * `npm run newcomers`: follows the pages of docs/newcomers in a fresh clone of the committed files, with only Node and
 * git, and prints the time until the first verdict.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { type WayStep, missingLine, stepsOf } from './ways.ts';

const root = path.resolve(import.meta.dirname, '../../../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'isolab-newcomers-'));
const clone = path.join(folder, 'isolab');
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ISOLAB_')));
const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

let [passed, failed] = [0, 0];

/** Runs a step, and returns whether its output matches its page. */
function take({ command, code, expected }: WayStep, since = Date.now()): boolean {
  const options = { cwd: clone, encoding: 'utf8', timeout: 300_000, maxBuffer: 2 ** 26, env } as const;
  const { status, signal, stdout: output } = spawnSync('bash', ['-c', `${command} 2>&1`], options);
  const missing = missingLine(expected, output);
  const exited = status === code && signal === null ? null : `ended with ${signal ?? status}, expected ${code}`;
  const problem = exited ?? (missing === null ? null : `did not print: ${missing}`);
  console.log(`  ${problem === null ? 'ok    ' : 'FAILED'}  ${seconds(since).padStart(7)}  ${command}`);
  if (problem === null) passed++;
  else {
    failed++;
    console.log(`${problem}\n${output.slice(-4000)}`);
  }
  return problem === null;
}

try {
  const begin = Date.now();
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone], { stdio: 'inherit' });
  const isReady = take({ command: 'npm start', code: 0, expected: ['…Snapshot isolation…NO…yes…yes…'] }, begin);
  console.log(`  first own verdict ${seconds(begin)} after the clone began`);
  const ways = path.join(root, 'docs/newcomers');
  for (const name of isReady ? readdirSync(ways) : []) {
    console.log(name);
    // Files that the previous newcomer wrote are deleted; installed and built ones stay.
    execFileSync('git', ['clean', '--quiet', '--force', '-d'], { cwd: clone, stdio: 'inherit' });
    for (const step of stepsOf(readFileSync(path.join(ways, name), 'utf8'))) take(step);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} steps passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
