import type { CheckInput } from '@isolab/contract';
import { EMPTY, type Snapshot, absoluteNow } from './board.ts';
import { type Child, type Ending, startChild } from './child.ts';
import { bytesOf, takeApart } from './columns.ts';
import { toData } from './input-data.ts';
import { didNotStart } from './in-worker.ts';
import { GRACE_MS, type RunRecord, START_LIMIT_MS, type Task, type Watch, delay, progressOf } from './job.ts';
import { peakResidentBytes } from './memory.ts';
import { readFromProcess } from './messages.ts';
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
    let started = 0;
    let cpuMs = 0;
    let peak: number | null = null;
    let seen: Snapshot = EMPTY;
    let record: RunRecord | null = null;
    let killedFor: Outcome | null = null;

    const kill = (outcome: Outcome): void => {
      killedFor ??= outcome;
      measure();
      child.kill();
    };
    const measure = (): void => {
      const resident = child.pid === undefined ? null : peakResidentBytes(child.pid);
      if (resident !== null) peak = Math.max(peak ?? 0, resident);
    };
    const onAbort = (): void => {
      child.send({ kind: 'abort' });
      timers.push(setTimeout(() => kill(unknown('aborted', 'the run was aborted')), BACKSTOP_MS));
    };
    const checkMemory = (): void => {
      if (budget.memoryBytes === undefined || record) return;
      measure();
      if (peak !== null && peak > budget.memoryBytes) kill(unknown('memory', memoryDetail(budget)));
    };
    const onStarted = (): void => {
      if (started > 0) return;
      started = absoluteNow();
      clearTimeout(timers[0]);
      if (budget.timeMs === undefined) return;
      const timeIsUp = (): void => kill(unknown('timeout', timeoutDetail(budget)));
      timers.push(setTimeout(timeIsUp, delay(budget.timeMs + BACKSTOP_MS)));
    };
    const onMessage = (raw: unknown): void => {
      const message = readFromProcess(raw, input.history.txnStatus.length);
      if (message === null) kill(unknown('crashed', 'the process of the checker sent something that is not a report'));
      else if (message.kind === 'started') onStarted();
      else if (message.kind === 'snapshot') {
        seen = message.snapshot;
        cpuMs = message.cpuMs;
        peak = Math.max(peak ?? 0, message.peakRssBytes);
        checkMemory();
        const progress = progressOf(seen);
        if (progress) onProgress?.(progress);
      } else if (message.kind === 'ended' && !killedFor && !record) {
        measure();
        record = message.record;
        // It ends by itself now; nothing is lost if it does not.
        timers.push(setTimeout(() => child.kill(), BACKSTOP_MS));
      }
    };
    const onEnd = (ending: Ending): void => {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      const startMs = started === 0 ? 0 : started - beginning;
      if (record) {
        resolve({ ...record, startMs, peakRssBytes: record.peakRssBytes ?? peak });
        return;
      }
      const outcome = killedFor ?? outcomeOfExit(ending);
      const snapshot = started === 0 ? EMPTY : extrapolated(seen, absoluteNow() - started);
      resolve({ ...outcome, snapshot, cpuMs, peakRssBytes: peak, startMs });
    };

    timers.push(setTimeout(() => kill(didNotStart()), START_LIMIT_MS));
    if (budget.memoryBytes !== undefined) timers.push(setInterval(checkMemory, MEMORY_EVERY_MS));
    signal?.addEventListener('abort', onAbort);
    const child = startChild({ memoryBytes: budget.memoryBytes, onMessage, onEnd });
    handOver(child, input, task);
  });
}

/** Sends the task, and the columns on the pipe that process-main.ts reads them from. */
function handOver(child: Child, input: CheckInput, task: Task): void {
  const { skeleton, columns } = takeApart(toData(input));
  child.send({ kind: 'task', task, input: skeleton });
  for (const column of columns) {
    const { buffer, byteOffset, byteLength } = bytesOf(column);
    if (byteLength > 0) child.columns.write(Buffer.from(buffer, byteOffset, byteLength));
  }
  child.columns.end();
}

function outcomeOfExit({ code, signal, tail }: Ending): Outcome {
  if (/JavaScript heap out of memory/.test(tail)) return unknown('memory', 'the JavaScript heap is out of memory');
  return unknown('crashed', howProcessEnded({ code, signal, tail }));
}

/** Why there is no answer, in words. */
export function howProcessEnded({ code, signal, tail }: Ending): string {
  const how =
    signal !== null
      ? `was killed by ${signal}`
      : code === null
        ? 'could not be started'
        : `ended with exit code ${code}`;
  const hint = signal === 'SIGKILL' ? ' (the system does this when it runs out of memory)' : '';
  const said = tail.trim().split('\n').at(-1);
  return `the process ${how}${hint}${said ? `; it said: ${said}` : ''}`;
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
