import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import process from 'node:process';

/** A process, identified by pid and start time, because pids are reused. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly began: string;
}

export function descendantsOf(pid: number): Process[] {
  const all = allProcesses();
  const found = all.filter(({ parent }) => parent === pid);
  for (let i = 0; i < found.length; i++) found.push(...all.filter(({ parent }) => parent === found[i]!.pid));
  return found;
}

/**
 * Finds all processes with this variable in their environment, if the system shows it: they keep it when their parent
 * ends.
 */
export function markedWith(mark: string): Process[] {
  if (!HAS_PROC) return [];
  return allProcesses().filter(({ pid }) => environmentOf(pid).includes(`${mark}\0`));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // the process has ended, or belongs to another user
  }
}

export const isIn = (processes: readonly Process[], { pid, began }: Process): boolean =>
  processes.some((each) => each.pid === pid && each.began === began);

/** Requests processes to end, and kills processes that remain after a while, including their new children. */
export async function endAll(processes: readonly Process[], patienceMs: number): Promise<void> {
  const living = processes.filter(isAlive);
  const later = living.flatMap(({ pid }) => descendantsOf(pid)).filter((each) => !isIn(living, each));
  let left = [...living, ...later].filter((each) => signalled(each, 'SIGTERM'));
  for (const deadline = Date.now() + patienceMs; left.length > 0 && Date.now() < deadline;) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    left = left.filter(isAlive);
  }
  for (const each of left) signalled(each, 'SIGKILL');
}

function signalled({ pid }: Process, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // the process has ended, or belongs to another user
  }
}

function isAlive({ pid, began }: Process): boolean {
  const now = HAS_PROC ? processIn(String(pid)) : allProcesses().find((each) => each.pid === pid);
  return now?.began === began;
}

const HAS_PROC = process.platform === 'linux';

function allProcesses(): Process[] {
  if (!HAS_PROC) return processesByPs();
  const isPossible = startedSince();
  return readdirSync('/proc').flatMap((name) =>
    /^\d/.test(name) && isPossible(Number(name)) ? (processIn(name) ?? []) : [],
  );
}

/**
 * Returns a test whether a pid can belong to a process that started after this one. Linux counts pids up, wraps around,
 * and shows the latest. For an old process, they may have wrapped around several times.
 */
function startedSince(): (pid: number) => boolean {
  const { pid: own } = process;
  const latest = process.uptime() > OLD_SECONDS ? NaN : latestPid();
  if (Number.isNaN(latest)) return () => true;
  return latest >= own ? (pid) => pid > own && pid <= latest : (pid) => pid > own || pid <= latest;
}

const OLD_SECONDS = 10;

function latestPid(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').split(' ').at(-1));
  } catch {
    return NaN;
  }
}

/**
 * Reads a process from Linux's table; null for a process that has ended, even if its parent has not yet waited for it.
 */
function processIn(name: string): Process | null {
  try {
    // The program name is in parentheses and may contain any characters.
    const fields = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
    const [state, parent] = fields;
    return state === 'Z' ? null : { pid: Number(name), parent: Number(parent), began: fields[19]! };
  } catch {
    return null;
  }
}

function processesByPs(): Process[] {
  if (process.platform === 'win32') return [];
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,lstart='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, began] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), began: began! }];
  });
}
