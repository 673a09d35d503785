import { Worker } from 'node:worker_threads';
import { isFailedStart, started } from '@isolab/history/started';
import { MOST_NAMES, type Names, type Snapshot, absoluteNow, makeBoard, makeNames, readBoard } from './board.ts';
import { share } from './columns.ts';
import { entryPoint } from './entry-point.ts';
import { errorText } from './errors.ts';
import type { InputData } from './input-data.ts';
import {
  GRACE_MS,
  PROGRESS_EVERY_MS,
  type RunRecord,
  START_LIMIT_MS,
  type MovedTask,
  type Waiting,
  type Watch,
  type WorkerTask,
  delay,
  loadLimitMs,
  neverBegan,
  progressOf,
} from './job.ts';
import { readFromWorker } from './messages.ts';
import { cpuTimeMs, peakResidentBytes, residentBytes } from './memory.ts';
import { passOn } from './printed.ts';
import { type RunOutcome, memoryDetail, timeoutDetail, unknown } from './outcome.ts';
import { numTransactionsOf } from './sane-verdict.ts';

/** Callbacks and settings for a host inside a child process. */
export interface WorkerWatch extends Watch {
  readonly onStarted?: () => void;
  readonly onSnapshot?: (snapshot: Snapshot) => void;
  /**
   * Called with the checker's answer before the worker is terminated, because Node 20 sometimes aborts the process
   * during termination.
   */
  readonly onAnswer?: (record: RunRecord) => void;
  /** False if another host watches the memory. */
  readonly watchMemory?: boolean;
}

/**
 * Runs a checker in a worker that shares the memory of the history. The checker stops at its next `tick`. If it calls
 * no `tick`, the worker is terminated shortly afterwards, and its progress remains on the board.
 */
export function runInWorker(input: InputData, task: MovedTask, watch: WorkerWatch): Promise<RunRecord> {
  if (watch.signal?.aborted) return Promise.resolve(neverBegan(unknown('aborted', 'the run was aborted')));
  return new Promise((resolve, reject) => new WorkerRun(input, task, watch, { resolve, reject }));
}

class WorkerRun {
  readonly #task: MovedTask;
  readonly #watch: WorkerWatch;
  readonly #numTransactions: number;
  readonly #waiting: Waiting;
  readonly #worker: Worker;
  readonly #board = makeBoard();
  readonly #names = makeNames();
  readonly #beginning = absoluteNow();
  readonly #starting: NodeJS.Timeout;
  readonly #timers: NodeJS.Timeout[] = [];
  #loading: NodeJS.Timeout | undefined;
  #startMs = 0;
  #cpuBefore = cpuTimeMs();
  #hasStarted = false;
  #hasEnded = false;

  constructor(input: InputData, task: MovedTask, watch: WorkerWatch, waiting: Waiting) {
    this.#task = task;
    this.#watch = watch;
    this.#numTransactions = numTransactionsOf(input);
    this.#waiting = waiting;
    const shared = { ...task, kind: 'run', board: this.#board, input: share(input) } as const;
    this.#worker = startWorker(shared, (error) => this.#fail(error), task.budget.memoryBytes);
    this.#starting = this.#endAfter(START_LIMIT_MS, didNotStart);
    watch.signal?.addEventListener('abort', this.#onAbort);
    this.#worker.on('message', (raw: unknown) => this.#hear(raw));
    this.#worker.on('exit', (code) => void this.#end(unknown('crashed', howItExited(code))));
  }

  #endAfter(ms: number, outcome: () => RunOutcome): NodeJS.Timeout {
    const timer = setTimeout(() => void this.#end(outcome()), ms);
    this.#timers.push(timer);
    return timer;
  }

  readonly #onAbort = (): void => {
    Atomics.store(this.#board.flag, 0, 1);
    this.#endAfter(GRACE_MS, () => unknown('aborted', 'the run was aborted'));
  };

  #hear(raw: unknown): void {
    const message = readFromWorker(raw, this.#numTransactions);
    if (message === null)
      void this.#end(unknown('crashed', 'the thread of the checker sent a message that is not a report'));
    else if (message.kind === 'stages' || message.kind === 'counters') addName(this.#names, message.kind, message.name);
    else if (message.kind === 'ended') void this.#end(message.outcome, this.#watch.onAnswer);
    else if (message.kind === 'loading') {
      const limit = loadLimitMs(this.#task.budget);
      this.#loading = this.#endAfter(limit, () => unknown('timeout', loadsTooLong(limit)));
    } else if (message.kind === 'started' && !this.#hasEnded && !this.#hasStarted) this.#onStarted();
  }

  #onStarted(): void {
    this.#hasStarted = true;
    clearTimeout(this.#loading);
    clearTimeout(this.#starting);
    this.#startMs = absoluteNow() - this.#beginning;
    this.#cpuBefore = cpuTimeMs();
    this.#watchLimits();
    this.#watch.onStarted?.();
  }

  #watchLimits(): void {
    const { budget } = this.#task;
    const { timeMs, memoryBytes } = budget;
    const { onProgress, onSnapshot, watchMemory = true } = this.#watch;
    if (timeMs !== undefined) this.#endAfter(delay(timeMs + GRACE_MS), () => unknown('timeout', timeoutDetail(budget)));
    if (memoryBytes !== undefined && watchMemory) {
      const isOver = (): boolean => residentBytes() > memoryBytes;
      const look = (): void => void (isOver() && this.#end(unknown('memory', memoryDetail(budget))));
      this.#timers.push(setInterval(look, MEMORY_EVERY_MS));
    }
    if (onProgress === undefined && onSnapshot === undefined) return;
    const report = (): void => {
      const snapshot = readBoard(this.#board, this.#names, absoluteNow());
      onSnapshot?.(snapshot);
      const progress = progressOf(snapshot);
      if (progress) onProgress?.(progress);
    };
    this.#timers.push(setInterval(report, PROGRESS_EVERY_MS));
  }

  #fail(error: Error): void {
    if (!isFailedStart(error)) void this.#end(outcomeOfError(error, this.#task));
    else if (!this.#hasEnded) {
      this.#settle();
      this.#waiting.reject(error);
    }
  }

  #settle(): void {
    this.#hasEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#watch.signal?.removeEventListener('abort', this.#onAbort);
  }

  async #end(outcome: RunOutcome, onAnswer?: WorkerWatch['onAnswer']): Promise<void> {
    if (this.#hasEnded) return;
    const at = absoluteNow();
    this.#settle();
    const frozen = { ...this.#board, numbers: this.#board.numbers.slice() };
    const cpuMs = this.#hasStarted ? cpuTimeMs() - this.#cpuBefore : 0;
    const peakRssBytes = peakResidentBytes() ?? residentBytes();
    const record = (): RunRecord => {
      const snapshot = readBoard(frozen, this.#names, at);
      return { ...outcome, snapshot, cpuMs, peakRssBytes, startMs: this.#startMs };
    };
    onAnswer?.(record());
    // A worker inside a long built-in call, such as a sort, ends only after this call. The caller need not wait for it.
    let patience: NodeJS.Timeout | undefined;
    const tooLong = new Promise((done) => (patience = setTimeout(done, GRACE_MS)));
    await Promise.race([this.#worker.terminate(), tooLong]);
    clearTimeout(patience);
    // Resolved only now, because pending names arrive before a worker ends.
    this.#waiting.resolve(record());
  }
}

/** Records a name that a checker announces, up to the capacity of the board. */
function addName(names: Names, kind: keyof Names, name: string): void {
  if (names[kind].length < MOST_NAMES[kind]) names[kind].push(name);
}

export const loadsTooLong = (limitMs: number): string => `loading the checker took more than ${limitMs / 1000} s`;

export const didNotStart = (): RunOutcome =>
  unknown('crashed', `the checker did not start within ${START_LIMIT_MS / 1000} s`);

/** Node's exit code for a script that awaits a promise that is never settled. */
const UNSETTLED = 13;

export const howItExited = (code: number): string =>
  code === UNSETTLED
    ? 'the checker waits for a promise that never settles'
    : `the checker ended its thread (exit code ${code})`;

/** Starts a worker whose output is passed to standard error. */
export function startWorker(task: WorkerTask, failed: (error: Error) => void, memoryBytes?: number): Worker {
  const thread = new Worker(entryPoint('worker-main', task.url), {
    workerData: task,
    stdout: true,
    stderr: true,
    ...(memoryBytes !== undefined && {
      resourceLimits: { maxOldGenerationSizeMb: Math.max(MIN_HEAP_MB, Math.ceil(memoryBytes / 2 ** 20)) },
    }),
  });
  const worker = started(thread, failed);
  passOn([worker.stdout, worker.stderr]);
  return worker;
}

function outcomeOfError(error: unknown, { budget }: MovedTask): RunOutcome {
  const isOutOfMemory = (error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (isOutOfMemory && budget.memoryBytes !== undefined) return unknown('memory', memoryDetail(budget));
  const text = errorText(error);
  return unknown(isOutOfMemory ? 'memory' : 'crashed', `${text.name}: ${text.message}`, text);
}

const MEMORY_EVERY_MS = 25;
/** Smallest heap with which a worker can start. */
const MIN_HEAP_MB = 16;
