import type { CheckInput } from '@isolab/contract';
import { EMPTY, type Snapshot, absoluteNow } from './board.ts';
import { type Child, type Ending, startChild } from './child.ts';
import { bytesOf, takeApart } from './columns.ts';
import { toData } from './input-data.ts';
import { didNotStart } from './in-worker.ts';
import {
  GRACE_MS,
  type RunRecord,
  START_LIMIT_MS,
  type MovedTask,
  type Waiting,
  type Watch,
  delay,
  progressOf,
} from './job.ts';
import { peakResidentBytes } from './memory.ts';
import { readFromProcess } from './messages.ts';
import { numTransactionsOf } from './sane-verdict.ts';
import { type RunOutcome, memoryDetail, timeoutDetail, unknown } from './outcome.ts';

/**
 * Runs a checker in its own process, whose memory can be measured and limited. Inside, a worker runs the checker and
 * the main thread watches it (see process-main.ts), so stages, counters and steps are exact even when a run exceeds its
 * time. This side kills the process if it needs too much memory or does not respond.
 */
export const runInProcess = (input: CheckInput, task: MovedTask, watch: Watch): Promise<RunRecord> =>
  new Promise((resolve, reject) => new ProcessRun(input, task, watch, { resolve, reject }));

class ProcessRun {
  readonly #task: MovedTask;
  readonly #watch: Watch;
  readonly #numTransactions: number;
  readonly #waiting: Waiting;
  readonly #child: Child;
  readonly #beginning = absoluteNow();
  readonly #starting: NodeJS.Timeout;
  readonly #timers: NodeJS.Timeout[] = [];
  #started = 0;
  #cpuMs = 0;
  #peak: number | null = null;
  #seen: Snapshot = EMPTY;
  #record: RunRecord | null = null;
  #killedFor: RunOutcome | null = null;

  constructor(input: CheckInput, task: MovedTask, watch: Watch, waiting: Waiting) {
    this.#task = task;
    this.#watch = watch;
    this.#numTransactions = numTransactionsOf(input);
    this.#waiting = waiting;
    const { memoryBytes } = task.budget;
    this.#child = startChild({
      checker: task.url,
      memoryBytes,
      onMessage: (raw) => this.#hear(raw),
      onFailure: (error) => this.#fail(error),
      onEnd: (ending) => this.#end(ending),
    });
    this.#starting = this.#after(START_LIMIT_MS, () => this.#kill(didNotStart()));
    if (memoryBytes !== undefined) this.#timers.push(setInterval(() => this.#checkMemory(), MEMORY_EVERY_MS));
    watch.signal?.addEventListener('abort', this.#onAbort);
    handOver(this.#child, input, task);
  }

  #after(ms: number, act: () => void): NodeJS.Timeout {
    const timer = setTimeout(act, ms);
    this.#timers.push(timer);
    return timer;
  }

  readonly #onAbort = (): void => {
    this.#child.send({ kind: 'abort' });
    this.#after(BACKSTOP_MS, () => this.#kill(unknown('aborted', 'the run was aborted')));
  };

  #kill(outcome: RunOutcome): void {
    this.#killedFor ??= outcome;
    this.#measure();
    this.#child.kill();
  }

  #measure(): void {
    const { pid } = this.#child;
    const resident = pid === undefined ? null : peakResidentBytes(pid);
    if (resident !== null) this.#peak = Math.max(this.#peak ?? 0, resident);
  }

  #checkMemory(): void {
    const { budget } = this.#task;
    if (budget.memoryBytes === undefined || this.#record) return;
    this.#measure();
    if (this.#peak !== null && this.#peak > budget.memoryBytes) this.#kill(unknown('memory', memoryDetail(budget)));
  }

  #hear(raw: unknown): void {
    const message = readFromProcess(raw, this.#numTransactions);
    if (message === null)
      this.#kill(unknown('crashed', 'the process of the checker sent a message that is not a report'));
    else if (message.kind === 'started') this.#onStarted();
    else if (message.kind === 'snapshot') {
      this.#seen = message.snapshot;
      this.#cpuMs = message.cpuMs;
      this.#peak = Math.max(this.#peak ?? 0, message.peakRssBytes);
      this.#checkMemory();
      const progress = progressOf(this.#seen);
      if (progress) this.#watch.onProgress?.(progress);
    } else if (message.kind === 'ended' && !this.#killedFor && !this.#record) {
      this.#measure();
      this.#record = message.record;
      // The process now ends by itself, and nothing is lost if it does not.
      this.#after(BACKSTOP_MS, () => this.#child.kill());
    }
  }

  #onStarted(): void {
    if (this.#started > 0) return;
    this.#started = absoluteNow();
    clearTimeout(this.#starting);
    const { budget } = this.#task;
    if (budget.timeMs === undefined) return;
    this.#after(delay(budget.timeMs + BACKSTOP_MS), () => this.#kill(unknown('timeout', timeoutDetail(budget))));
  }

  #settle(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#watch.signal?.removeEventListener('abort', this.#onAbort);
  }

  #fail(error: Error): void {
    this.#settle();
    this.#waiting.reject(error);
  }

  #end(ending: Ending): void {
    this.#settle();
    const startMs = this.#started === 0 ? 0 : this.#started - this.#beginning;
    const record = this.#record;
    if (record) {
      this.#waiting.resolve({ ...record, startMs, peakRssBytes: record.peakRssBytes ?? this.#peak });
      return;
    }
    const outcome = this.#killedFor ?? outcomeOfExit(ending);
    const snapshot = this.#started === 0 ? EMPTY : extrapolated(this.#seen, absoluteNow() - this.#started);
    this.#waiting.resolve({ ...outcome, snapshot, cpuMs: this.#cpuMs, peakRssBytes: this.#peak, startMs });
  }
}

/** Sends the task, and writes the columns to the pipe that process-main.ts reads. */
function handOver(child: Child, input: CheckInput, task: MovedTask): void {
  const { skeleton, columns } = takeApart(toData(input));
  child.send({ kind: 'task', task, input: skeleton });
  for (const column of columns) {
    const { buffer, byteOffset, byteLength } = bytesOf(column);
    if (byteLength > 0) child.columns.write(Buffer.from(buffer, byteOffset, byteLength));
  }
  child.columns.end();
}

function outcomeOfExit({ code, signal, tail }: Ending): RunOutcome {
  if (/JavaScript heap out of memory/.test(tail)) return unknown('memory', 'the JavaScript heap is out of memory');
  return unknown('crashed', howProcessEnded({ code, signal, tail }));
}

/** Explains the end of a process that gave no answer. */
export function howProcessEnded({ code, signal, tail }: Ending): string {
  const how = signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`;
  const hint = signal === 'SIGKILL' ? ' (the system does this when it runs out of memory)' : '';
  const lines = tail.trim().split('\n');
  const said = lines.find((line) => OF_NODE.test(line)) ?? lines.at(-1);
  return `the process ${how}${hint}${said ? `; it said: ${said}` : ''}`;
}

/** Messages of a crash of Node itself, which Node prints before a long stack trace. */
const OF_NODE = /Assertion failed|FATAL ERROR|# Fatal error|Check failed/;

/** The last snapshot before a process was killed. Later time is attributed to the current stage. */
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

/** The watching thread inside the process acts after GRACE_MS. This side acts only if that thread does not. */
const BACKSTOP_MS = 3 * GRACE_MS;
const MEMORY_EVERY_MS = 20;
