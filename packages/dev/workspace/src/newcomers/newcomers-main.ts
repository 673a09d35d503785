/**
 * `npm run newcomers`: goes the ways of docs/newcomers in a fresh clone of the committed files, with only Node and git, and prints the time until the first verdict.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { type Step, missingLine, stepsOf } from './ways.ts';

const root = path.resolve(import.meta.dirname, '../../../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'isolab-newcomers-'));
const clone = path.join(folder, 'isolab');

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

interface Outcome {
  readonly problem: string | null;
  readonly output: string;
}

function take({ command, code, expected }: Step): Outcome {
  const {
    status,
    signal,
    stdout: output,
  } = spawnSync('bash', ['-c', `${command} 2>&1`], {
    cwd: clone,
    encoding: 'utf8',
    timeout: 300_000,
    maxBuffer: 2 ** 26,
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ISOLAB_'))),
  });
  if (signal !== null) return { problem: `was ended by ${signal}`, output };
  if (status !== code) return { problem: `exited with ${status}, expected ${code}`, output };
  const missing = missingLine(expected, output);
  return { problem: missing === null ? null : `did not print: ${missing}`, output };
}

let [passed, failed] = [0, 0];
function say({ command }: Step, { problem, output }: Outcome, since: number): void {
  if (problem === null) {
    passed++;
    console.log(`  ok      ${seconds(since).padStart(7)}  ${command}`);
    return;
  }
  failed++;
  console.log(`  FAILED  ${seconds(since).padStart(7)}  ${command}\n${problem}\n${output.slice(-4000)}`);
}

try {
  const begin = Date.now();
  spawnSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone], { stdio: 'inherit' });
  const first: Step = { command: 'npm start', code: 0, expected: ['…Snapshot isolation…NO…yes…yes…'] };
  const outcome = take(first);
  say(first, outcome, begin);
  console.log(`  first own verdict ${seconds(begin)} after the clone began`);
  const ways = path.join(root, 'docs/newcomers');
  if (outcome.problem === null)
    for (const name of readdirSync(ways)) {
      console.log(name);
      // The next newcomer begins: files that the previous one wrote are gone; installed and built ones stay.
      spawnSync('git', ['clean', '--quiet', '--force', '-d'], { cwd: clone, stdio: 'inherit' });
      for (const step of stepsOf(readFileSync(path.join(ways, name), 'utf8'))) {
        const since = Date.now();
        say(step, take(step), since);
      }
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} steps passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
