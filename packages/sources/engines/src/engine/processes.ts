import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import process from 'node:process';

/** The part of a child process that engines use, declared here so that the published types do not need Node's types. */
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

/** Identity of a process, which distinguishes it from a later process with the same number. */
export interface ProcessId {
  readonly pid: number;
  /** Start time in the system's format; null where the system does not report it. */
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

/** Kills a process that leads a process group, and its child processes. */
export function killGroup({ pid, exitCode, signalCode }: Pick<Child, 'pid' | 'exitCode' | 'signalCode'>): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // the process has ended
  }
}

/** Returns the command line of a process, or null if it is not available. */
export function commandOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return ask(pid, 'command=');
  } catch {
    return null;
  }
}

export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of parents()) children.set(parent, [...(children.get(parent) ?? []), child]);
  const found = [...(children.get(pid) ?? [])];
  for (const one of found) found.push(...(children.get(one) ?? []));
  return found;
}

/** Lists every process with its parent. */
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
      return []; // the process has ended
    }
  });
}

function startOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') return process.platform === 'win32' ? null : ask(pid, 'lstart=');
    // The program name in brackets may contain any characters. The state follows, and 19 fields later the start time.
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

/** Returns an identifier of the current boot, or null where the system does not report it. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
