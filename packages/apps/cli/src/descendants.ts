import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import process from 'node:process';

/** A process, by its number and when it began: numbers are used again. */
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

/** All processes with this variable in their environment, where the system shows it: they keep it when their parent ends. */
export function markedWith(mark: string): Process[] {
  if (!HAS_PROC) return [];
  return allProcesses().filter(({ pid }) => environmentOf(pid).includes(`${mark}\0`));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // it has ended, or belongs to another user
  }
}

export const isIn = (processes: readonly Process[], { pid, began }: Process): boolean =>
  processes.some((each) => each.pid === pid && each.began === began);

/** Asks processes to end, and ends those that have not after a while; also their new child processes. */
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
    return false; // it has ended, or belongs to another user
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
 * Checks whether a number can belong to a process that was started after this one. Linux counts numbers up, begins
 * again at the end, and shows the latest. Once this process is old, that may have happened several times.
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

/** Reads a process from Linux's table; null for a process that has ended, even if its parent has not taken note yet. */
function processIn(name: string): Process | null {
  try {
    // The name of the program stands in parentheses and may hold any characters.
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
