/** The program as it is started: in places of its own, held up by pipes, and the files that it leaves. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const main = fileURLToPath(new URL('../../isolab.cjs', import.meta.url));

/** Where a file of tests works; gone after them. */
export interface Workplace {
  readonly folder: string;
  /** A place of its own for each test. */
  place(): string;
  readonly ok: string;
  readonly violated: string;
  /** Certificate that `ok` is serializable. */
  readonly certificate: string;
}

export function workplace(name: string): Workplace {
  const folder = mkdtempSync(join(tmpdir(), `isolab-${name}-`));
  afterAll(() => {
    pipes.splice(0).forEach(closeSync);
    rmSync(folder, { recursive: true, force: true });
  });
  let numPlaces = 0;
  const place = (): string => {
    const made = join(folder, String(++numPlaces));
    mkdirSync(made);
    return made;
  };
  const ok = write(join(folder, 'ok.txt'), 'w(1,1,0,0)\nr(1,1,1,1)\n');
  const violated = write(join(folder, 'violated.txt'), 'r(1,7,0,0)\n');
  const certificate = join(folder, 'certificate.json');
  spawnSync(process.execPath, [main, 'check', ok, '-l', 'ser', '--certificate', certificate]);
  return { folder, place, ok, violated, certificate };
}

export const write = (path: string, text: string): string => {
  writeFileSync(path, text);
  return path;
};
export const fifo = (at: string, name = 'fifo'): string => {
  execFileSync('mkfifo', [join(at, name)]);
  return join(at, name);
};

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | string; readonly out: string; readonly err: string }>;
  /** Set in the environment of its child processes. */
  readonly mark: string;
}

export function start(
  args: readonly string[],
  cwd: string,
  stdio: 'pipe' | readonly ('pipe' | number)[] = 'pipe',
): Running {
  const mark = `${process.pid}-${Math.random()}`;
  const env = { ...process.env, ISOLAB_CUT: mark };
  const child = spawn(process.execPath, [main, ...args], { cwd, env, stdio: stdio as 'pipe' });
  let [out, err] = ['', ''];
  child.stdout?.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
  const ended = new Promise<{ code: number | string; out: string; err: string }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'nothing', out, err }));
  });
  return { child, ended, mark };
}

/** Living processes that a program started. */
export function leftOf(mark: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`ISOLAB_CUT=${mark}`);
    } catch {
      return false;
    }
  });
}

export async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Resolves once a process reads a pipe, and continues to read in vain until the test ends. */
export async function isRead(path: string): Promise<void> {
  const holding = await new Promise<number>((resolve) => {
    const attempt = (): void => {
      try {
        resolve(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
      } catch {
        setTimeout(attempt, 20);
      }
    };
    attempt();
  });
  pipes.push(holding);
}

/** Resolves once a process writes into a pipe that is not read further. */
export async function isWritten(path: string): Promise<void> {
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  pipes.push(reading);
  const byte = Buffer.alloc(1);
  await until(() => {
    try {
      return readSync(reading, byte) === 1;
    } catch {
      return false;
    }
  });
}

/** Held open until the tests are over. */
const pipes: number[] = [];
