import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import process from 'node:process';

/** Parts of a child process in use: declarations of types must not need those of Node. */
export interface Child {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  readonly stdin: { end(text: string): unknown } | null;
  readonly stderr: {
    setEncoding(encoding: 'utf8'): { on(event: 'data', listener: (text: string) => void): unknown };
  } | null;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'close', listener: (code: number | null) => void): unknown;
  once(event: 'exit', listener: (code: number | null) => void): unknown;
  kill(signal: 'SIGQUIT' | 'SIGKILL'): boolean;
}

/** Identity of a process, which distinguishes it from a later one with the same number. */
export interface ProcessId {
  readonly pid: number;
  /** Time of its start, in the system's own words; null where the system does not report it. */
  readonly started: string | null;
}

export const processIdOf = (pid: number): ProcessId => ({ pid, started: startOf(pid) });

/** Returns whether the process still runs. A zombie does not. */
export function isRunning({ pid, started }: ProcessId): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false; // EPERM: another user's process
  }
  const now = startOf(pid);
  return started === null || now === null ? now !== 'zombie' : now === started;
}

/** Ends a process that leads a group, and its child processes. */
export function killGroup({ pid, exitCode, signalCode }: Pick<Child, 'pid' | 'exitCode' | 'signalCode'>): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

/** The command line of a process; null where it is not to be had. */
export function commandOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return ask(pid, 'command=');
  } catch {
    return null;
  }
}

/** Returns the processes that a process started, and their descendants. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of parents()) children.set(parent, [...(children.get(parent) ?? []), child]);
  const found = [...(children.get(pid) ?? [])];
  for (const one of found) found.push(...(children.get(one) ?? []));
  return found;
}

/** Every process with its parent. */
function parents(): [number, number][] {
  if (process.platform !== 'linux')
    return execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return [[Number(name), Number(parent)]];
    } catch {
      return []; // it has ended
    }
  });
}

function startOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') return process.platform === 'win32' ? null : ask(pid, 'lstart=');
    // The name of the program, in brackets, may hold anything. The state follows, and 19 fields later the start.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' ? 'zombie' : fields[18]!;
  } catch {
    return null;
  }
}

const ask = (pid: number, field: string): string =>
  execFileSync('ps', ['-o', field, '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** Names the time since the machine was last started; null where the system does not report it. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
