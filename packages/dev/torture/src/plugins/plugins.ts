import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Random } from '@isolab/workloads';
import type { Report, Suite } from '../suite/suite.ts';
import { HOSTILE, type Hostile } from './hostile.ts';

const PLACES: readonly (Place | null)[] = [null, 'worker', 'process', 'thread'];

type Place = 'thread' | 'worker' | 'process';

interface Attempt {
  readonly hostile: Hostile;
  /** Value of `--place`; null without the flag. */
  readonly place: Place | null;
}

const ATTEMPTS: readonly Attempt[] = PLACES.flatMap((place) =>
  HOSTILE.filter((hostile) => isTried(hostile, place)).map((hostile) => ({ hostile, place })),
);

function isTried({ notInThread, onlyInProcess }: Hostile, place: Place | null): boolean {
  if (place === 'thread') return !notInThread && !onlyInProcess;
  return place !== 'worker' || !onlyInProcess;
}

/** Runs harmful plug-ins in every possible place. */
export const plugins: Suite = {
  name: 'plugins',
  title:
    'hostile plug-ins: no green verdict, no exit code 1 unless the verdict is marked as unverified, no hang, and a stated reason',
  short: 8,
  long: ATTEMPTS.length,
  run: async (count, seed, report) => {
    const order = shuffled(ATTEMPTS, new Random(seed));
    const folder = mkdtempSync(join(tmpdir(), 'isolab-plugins-'));
    try {
      writeFileSync(join(folder, 'history.jsonl'), HISTORY);
      for (let i = 0; i < count; i++) await attempt(order[i % order.length]!, folder, report);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function attempt({ hostile, place }: Attempt, folder: string, report: Report): Promise<void> {
  const kind = `place ${place ?? 'not named'}`;
  const file = join(folder, 'plugin.mjs');
  writeFileSync(file, hostile.code);
  const where = place === null ? [] : ['--place', place];
  const ran = await runCommand([
    'check',
    join(folder, 'history.jsonl'),
    '-l',
    'serializable',
    '-c',
    file,
    '--time',
    '1s',
    ...where,
  ]);
  const problem = problemOf(ran, hostile);
  if (problem === null) report.survived(kind);
  else report.failed(kind, `a plug-in that ${hostile.does}: ${problem}\n${shown(ran)}`);
}

function problemOf({ code, ms, out, err }: Ran, { isHarmless, mayAccuse }: Hostile): string | null {
  if (code === null) return `it was killed after ${LIMIT_MS} ms, or by a signal`;
  if (ms > SLOW_MS) return `it took ${ms.toFixed(0)} ms`;
  if (/bug in isolab/.test(err)) return 'it is reported as a bug in isolab';
  if (out.length > 10_000) return 'the output of the plug-in is in standard output';
  if (isHarmless) {
    if (code === 0 && /satisfied/.test(out) && /unverified/.test(out)) return null;
    return `exit code ${code}, expected 0 and a verdict that is marked as unverified`;
  }
  if (mayAccuse && code === 1 && /unverified/.test(out + err)) return null;
  if (code !== 2 && code !== 3) return `exit code ${code}, expected 2 or 3`;
  return (out + err).trim() === '' ? 'it prints nothing' : null;
}

interface Ran {
  /** Null if the process was killed. */
  readonly code: number | null;
  readonly ms: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in its own process, and waits like a script until its output ends. */
function runCommand(args: readonly string[]): Promise<Ran> {
  const begin = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let out = '';
    let err = '';
    child.stdout.on('data', (text: Buffer) => (out += text.toString()));
    child.stderr.on('data', (text: Buffer) => (err += text.toString()));
    const killAll = (): void => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // The process is gone, with all its children.
      }
    };
    const limit = setTimeout(killAll, LIMIT_MS);
    child.on('exit', (code) => {
      const ms = performance.now() - begin;
      clearTimeout(limit);
      killAll();
      setTimeout(() => resolve({ code, ms, out, err }), 50);
    });
  });
}

const shown = ({ out, err }: Ran): string =>
  `  it said: ${JSON.stringify(out.slice(0, 1000))} ${JSON.stringify(err.slice(0, 1000))}`;

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

const CLI = fileURLToPath(new URL('../../../../apps/cli/isolab.cjs', import.meta.url));
const HISTORY = `{"isolab":"history","version":1,"initial":0}
{"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["r","x",1],["w","x",2]]}
`;
const LIMIT_MS = 40_000;
/** The time limit is one second, loading has three; the rest is for a busy machine. */
const SLOW_MS = 20_000;
