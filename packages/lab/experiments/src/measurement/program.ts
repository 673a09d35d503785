/** Runs an outside program with limits of time and memory, both enforced by this process. */
import { started } from '@isolab/history';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

export interface ProgramOptions {
  readonly timeMs: number;
  readonly memoryBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Standard input of the program; empty if absent. */
  readonly input?: string;
  /** Receives the program's standard output, which is not stored elsewhere; returning false ends the program. */
  readonly read?: (chunk: string) => boolean;
}

export interface Ended {
  readonly code: number | null;
  /** Output of the program; of a very long output, only the beginning and the end. */
  readonly output: string;
  readonly stoppedFor: StopReason | null;
  /** Reason why the program could not be started. */
  readonly failure: string | null;
  readonly wallMs: number;
  readonly usage: Usage;
}

/** `refused`: its output could not be read further. */
type StopReason = 'timeout' | 'memory' | 'aborted' | 'refused';

export function runProgram(words: readonly string[], options: ProgramOptions): Promise<Ended> {
  const { timeMs, memoryBytes, signal, input, read } = options;
  return new Promise((resolve) => {
    const begin = performance.now();
    // The program has its own process group, so that the processes that it starts end with it.
    let failure: string | null = null;
    const child = started(
      spawn(words[0]!, words.slice(1), { stdio: ['pipe', 'pipe', 'pipe'], detached: true }),
      ({ message }) => (failure = message),
    );
    let [head, tail] = ['', ''];
    let stoppedFor: StopReason | null = null;
    let usage: Usage = { cpuMs: null, peakRssBytes: null };
    const endGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // All processes of the group have ended.
      }
    };
    const stop = (why: StopReason): void => {
      stoppedFor ??= why;
      endGroup();
      // A process that left the group may keep these open forever.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const watch = (): void => {
      if (child.pid === undefined) return;
      usage = larger(usage, usageOf(child.pid));
      if ((usage.peakRssBytes ?? 0) > memoryBytes) stop('memory');
    };
    const onAbort = (): void => stop('aborted');
    const keep = (chunk: string): void => {
      const room = KEPT - head.length;
      head += chunk.slice(0, room);
      tail = (tail + chunk.slice(room)).slice(-KEPT);
    };
    child.stdout.setEncoding('utf8');
    child.stderr.setEncoding('utf8');
    const timer = setTimeout(() => stop('timeout'), timeMs);
    const watching = setInterval(watch, WATCH_EVERY_MS);
    watch();
    signal?.addEventListener('abort', onAbort);
    child.stdout.on('data', (chunk: string) => {
      if (read === undefined) keep(chunk);
      else if (stoppedFor === null && !read(chunk)) stop('refused');
    });
    child.stderr.on('data', keep);
    child.stdin.on('error', () => {}); // the program need not read its input
    child.stdin.end(input ?? '');
    child.on('close', (code) => {
      clearTimeout(timer);
      clearInterval(watching);
      signal?.removeEventListener('abort', onAbort);
      endGroup();
      resolve({ code, output: head + tail, stoppedFor, failure, wallMs: performance.now() - begin, usage });
    });
  });
}

/** Number of characters to keep of the beginning, and of the end, of a very long output. */
const KEPT = 100_000;
const WATCH_EVERY_MS = 20;

/** CPU time and peak memory of a program so far, as the system reports them; null on systems without /proc. */
interface Usage {
  readonly cpuMs: number | null;
  readonly peakRssBytes: number | null;
}

/** A zombie process has no memory any more. */
const larger = (one: Usage, other: Usage): Usage => ({
  cpuMs: largerOf(one.cpuMs, other.cpuMs),
  peakRssBytes: largerOf(one.peakRssBytes, other.peakRssBytes),
});

const largerOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/** Usage of a process and all its descendants together: the measured program may have been started by a script. */
function usageOf(pid: number): Usage {
  const all = familyOf(pid).flatMap((each) => statusOf(each) ?? []);
  if (all.length === 0) return { cpuMs: null, peakRssBytes: null };
  const sum = (of: 'cpuMs' | 'rssBytes'): number => all.reduce((total, each) => total + each[of], 0);
  // For a single process the system reports the peak; for several processes only their current memory can be added up.
  const peaks = all.map(({ peakRssBytes }) => peakRssBytes);
  return { cpuMs: sum('cpuMs'), peakRssBytes: Math.max(sum('rssBytes'), ...peaks) };
}

function familyOf(pid: number): number[] {
  const family = [pid];
  for (const each of family) {
    try {
      const children = readFileSync(`/proc/${each}/task/${each}/children`, 'latin1').trim();
      if (children !== '') family.push(...children.split(' ').map(Number));
    } catch {
      // The process has ended, or the system does not list its children.
    }
  }
  return family;
}

function statusOf(pid: number): { cpuMs: number; rssBytes: number; peakRssBytes: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may contain any character; utime, stime, cutime and cstime are fields 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const bytesOf = (name: string): number =>
      1024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]);
    const [rssBytes, peakRssBytes] = [bytesOf('VmRSS'), bytesOf('VmHWM')];
    return Number.isNaN(peakRssBytes) ? null : { cpuMs: (ticks * 1000) / TICKS_PER_SECOND, rssBytes, peakRssBytes };
  } catch {
    return null;
  }
}

/** USER_HZ, which is 100 on all current Linux systems. */
const TICKS_PER_SECOND = 100;
