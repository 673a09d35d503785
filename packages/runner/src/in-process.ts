import type { CheckInput } from '@isolab/checker';
import { type ChildProcess, fork } from 'node:child_process';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { EMPTY, type Snapshot, absoluteNow } from './board.ts';
import { bytesOf, takeApart } from './columns.ts';
import { didNotStart, entryPoint } from './in-worker.ts';
import { toData } from './input-data.ts';
import {
  COLUMNS_PIPE,
  type FromProcess,
  GRACE_MS,
  type RunRecord,
  START_LIMIT_MS,
  type Task,
  type ToProcess,
  type Watch,
  delay,
  progressOf,
} from './job.ts';
import { peakResidentBytes } from './memory.ts';
import { type Outcome, memoryDetail, timeoutDetail, unknown } from './outcome.ts';

/**
 * Runs a checker in a process of its own, whose memory can be measured and bounded. Inside, a worker runs the checker
 * and the main thread watches it (see process-main.ts), so that stages, counters and steps are exact even when a run is
 * out of time. This side kills the process when it needs too much memory, or is deaf altogether.
 */
export function runInProcess(input: CheckInput, task: Task, { signal, onProgress }: Watch): Promise<RunRecord> {
  const { budget } = task;
  return new Promise((resolve) => {
    const beginning = absoluteNow();
    const timers: NodeJS.Timeout[] = [];
    const child = startProcess(budget.memoryBytes);
    const tail = keepTail(child);
    let started = 0;
    let cpuMs = 0;
    let peak: number | null = null;
    let seen: Snapshot = EMPTY;
    let record: RunRecord | null = null;
    let killedFor: Outcome | null = null;

    const kill = (outcome: Outcome): void => {
      killedFor ??= outcome;
      measure();
      child.kill('SIGKILL');
    };
    const measure = (): void => {
      const resident = child.pid === undefined ? null : peakResidentBytes(child.pid);
      if (resident !== null) peak = Math.max(peak ?? 0, resident);
    };
    const onAbort = (): void => {
      send(child, { kind: 'abort' });
      timers.push(setTimeout(() => kill(unknown('aborted', 'the run was aborted')), BACKSTOP_MS));
    };
    const checkMemory = (): void => {
      if (budget.memoryBytes === undefined || record) return;
      measure();
      if (peak !== null && peak > budget.memoryBytes) kill(unknown('memory', memoryDetail(budget)));
    };
    const onStarted = (): void => {
      started = absoluteNow();
      clearTimeout(timers[0]);
      if (budget.timeMs === undefined) return;
      const timeIsUp = (): void => kill(unknown('timeout', timeoutDetail(budget)));
      timers.push(setTimeout(timeIsUp, delay(budget.timeMs + BACKSTOP_MS)));
    };

    timers.push(setTimeout(() => kill(didNotStart()), START_LIMIT_MS));
    if (budget.memoryBytes !== undefined) timers.push(setInterval(checkMemory, MEMORY_EVERY_MS));
    signal?.addEventListener('abort', onAbort);
    child.on('message', (message: FromProcess) => {
      if (message.kind === 'started') onStarted();
      else if (message.kind === 'snapshot') {
        seen = message.snapshot;
        cpuMs = message.cpuMs;
        peak = Math.max(peak ?? 0, message.peakRssBytes);
        checkMemory();
        const progress = progressOf(seen);
        if (progress) onProgress?.(progress);
      } else if (!killedFor) {
        measure();
        record = message.record;
        // It ends by itself now; nothing is lost if it does not.
        timers.push(setTimeout(() => child.kill('SIGKILL'), BACKSTOP_MS));
      }
    });
    child.on('error', (error) => kill(unknown('crashed', `the process did not start: ${error.message}`)));
    // Not 'exit': messages and output that are still under way come before 'close'.
    child.on('close', (code, ending) => {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      const startMs = started === 0 ? 0 : started - beginning;
      if (record) {
        resolve({ ...record, startMs, peakRssBytes: record.peakRssBytes ?? peak });
        return;
      }
      const outcome = killedFor ?? outcomeOfExit(code, ending, tail());
      const snapshot = started === 0 ? EMPTY : extrapolated(seen, absoluteNow() - started);
      resolve({ ...outcome, snapshot, cpuMs, peakRssBytes: peak, startMs });
    });
    handOver(child, input, task);
  });
}

/** Sends the task, and the columns on the pipe that process-main.ts reads them from. */
function handOver(child: ChildProcess, input: CheckInput, task: Task): void {
  const { skeleton, columns } = takeApart(toData(input));
  send(child, { kind: 'task', task, input: skeleton });
  const pipe = child.stdio[COLUMNS_PIPE] as Writable;
  pipe.on('error', () => {}); // the process is gone, which 'close' tells
  for (const column of columns) {
    const { buffer, byteOffset, byteLength } = bytesOf(column);
    if (byteLength > 0) pipe.write(Buffer.from(buffer, byteOffset, byteLength));
  }
  pipe.end();
}

function startProcess(memoryBytes: number | undefined): ChildProcess {
  const heap =
    memoryBytes === undefined ? [] : [`--max-old-space-size=${Math.max(32, Math.ceil(memoryBytes / 2 ** 20))}`];
  return fork(entryPoint('process-main'), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    execArgv: [...process.execArgv, ...heap],
  });
}

function send(child: ChildProcess, message: ToProcess): void {
  if (child.connected) child.send(message, () => {}); // an error means that it is gone, which 'close' tells
}

/** Passes on what the process prints, to standard error, and keeps the end of it for the message of a crash. */
function keepTail(child: ChildProcess): () => string {
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text: Buffer) => {
      process.stderr.write(text);
      tail = (tail + text.toString()).slice(-TAIL);
    });
  }
  return () => tail;
}

function outcomeOfExit(code: number | null, signal: NodeJS.Signals | null, tail: string): Outcome {
  if (/JavaScript heap out of memory/.test(tail)) return unknown('memory', 'the JavaScript heap is out of memory');
  const how = signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`;
  const hint = signal === 'SIGKILL' ? ' (which is also how a system that runs out of memory kills)' : '';
  const said = tail.trim().split('\n').at(-1);
  return unknown('crashed', `the process ${how}${hint}${said ? `; it said: ${said}` : ''}`);
}

/** The last snapshot before a process was killed: what happened since then is counted to the stage under way. */
function extrapolated(seen: Snapshot, wallMs: number): Snapshot {
  const more = Math.max(0, wallMs - seen.wallMs);
  const stage = seen.progress?.stage ?? 'check';
  const stages = seen.stages.length === 0 ? [{ name: stage, ms: 0 }] : seen.stages;
  return {
    ...seen,
    stages: stages.map(({ name, ms }) => ({ name, ms: name === stage ? ms + more : ms })),
    wallMs: seen.wallMs + more,
  };
}

/** The watching thread inside the process acts after GRACE_MS; only if it does not, this side does. */
const BACKSTOP_MS = 3 * GRACE_MS;
const MEMORY_EVERY_MS = 20;
const TAIL = 4096;
