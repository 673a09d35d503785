import { Worker } from 'node:worker_threads';
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
  type Task,
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
import { type Outcome, memoryDetail, timeoutDetail, unknown } from './outcome.ts';

/** What a host inside a child process wants to know besides. */
export interface WorkerWatch extends Watch {
  readonly onStarted?: () => void;
  readonly onSnapshot?: (snapshot: Snapshot) => void;
  /** False where somebody else watches the memory. */
  readonly watchMemory?: boolean;
}

/**
 * Runs a checker in a worker, over the same memory. The checker stops by itself at its next `tick`; if there is none, the
 * worker is terminated a moment later, and what it had done until then stands on the board.
 */
export function runInWorker(input: InputData, task: Task, watch: WorkerWatch): Promise<RunRecord> {
  const { signal, onProgress, onSnapshot, onStarted, watchMemory = true } = watch;
  const { budget } = task;
  if (signal?.aborted) return Promise.resolve(neverBegan(unknown('aborted', 'the run was aborted')));
  return new Promise((resolve) => {
    const board = makeBoard();
    const names = makeNames();
    const beginning = absoluteNow();
    let startMs = 0;
    let cpuBefore = cpuTimeMs();
    let hasStarted = false;
    let hasEnded = false;
    const timers: NodeJS.Timeout[] = [];
    let loading: NodeJS.Timeout | undefined;
    const worker = startWorker({ ...task, kind: 'run', board, input: share(input) }, budget.memoryBytes);

    const end = async (outcome: Outcome): Promise<void> => {
      if (hasEnded) return;
      hasEnded = true;
      const at = absoluteNow();
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      const frozen = { ...board, numbers: board.numbers.slice() };
      const cpuMs = hasStarted ? cpuTimeMs() - cpuBefore : 0;
      const peakRssBytes = peakResidentBytes() ?? residentBytes();
      // A worker inside a long built-in call, such as a sort, ends only after it: no reason to keep the caller waiting.
      await Promise.race([worker.terminate(), new Promise((done) => timers.push(setTimeout(done, GRACE_MS)))]);
      clearTimeout(timers.at(-1));
      // Only now: names that were still under way arrive before a worker ends.
      resolve({ ...outcome, snapshot: readBoard(frozen, names, at), cpuMs, peakRssBytes, startMs });
    };
    const stopSoon = (outcome: Outcome): void => {
      Atomics.store(board.flag, 0, 1);
      timers.push(setTimeout(() => void end(outcome), GRACE_MS));
    };
    const watchLoading = (): void => {
      const limit = loadLimitMs(budget);
      loading = setTimeout(() => void end(unknown('timeout', loadsTooLong(limit))), limit);
      timers.push(loading);
    };
    const onAbort = (): void => stopSoon(unknown('aborted', 'the run was aborted'));
    const watchLimits = (): void => {
      const { timeMs, memoryBytes } = budget;
      if (timeMs !== undefined) {
        const timeIsUp = (): void => void end(unknown('timeout', timeoutDetail(budget)));
        timers.push(setTimeout(timeIsUp, delay(timeMs + GRACE_MS)));
      }
      if (memoryBytes !== undefined && watchMemory) {
        const look = (): void => void (residentBytes() > memoryBytes && end(unknown('memory', memoryDetail(budget))));
        timers.push(setInterval(look, MEMORY_EVERY_MS));
      }
      if (onProgress || onSnapshot) {
        const tell = (): void => {
          const snapshot = readBoard(board, names, absoluteNow());
          onSnapshot?.(snapshot);
          const progress = progressOf(snapshot);
          if (progress) onProgress?.(progress);
        };
        timers.push(setInterval(tell, PROGRESS_EVERY_MS));
      }
    };

    timers.push(setTimeout(() => void end(didNotStart()), START_LIMIT_MS));
    signal?.addEventListener('abort', onAbort);
    worker.on('message', (raw: unknown) => {
      const message = readFromWorker(raw, input.history.txnStatus.length);
      if (message === null)
        void end(unknown('crashed', 'the thread of the checker sent something that is not a report'));
      else if (message.kind === 'stages' || message.kind === 'counters') addName(names, message.kind, message.name);
      else if (message.kind === 'ended') void end(message.outcome);
      else if (message.kind === 'loading') watchLoading();
      else if (message.kind === 'started' && !hasEnded && !hasStarted) {
        hasStarted = true;
        clearTimeout(loading);
        clearTimeout(timers[0]);
        startMs = absoluteNow() - beginning;
        cpuBefore = cpuTimeMs();
        watchLimits();
        onStarted?.();
      }
    });
    worker.on('error', (error) => void end(outcomeOfError(error, task)));
    worker.on('exit', (code) => void end(unknown('crashed', howItExited(code))));
  });
}

/** Names that a checker announces come one by one; the board has room for so many. */
function addName(names: Names, kind: keyof Names, name: string): void {
  if (names[kind].length < MOST_NAMES[kind]) names[kind].push(name);
}

export const loadsTooLong = (limitMs: number): string => `loading the checker took more than ${limitMs / 1000} s`;

export const didNotStart = (): Outcome =>
  unknown('crashed', `the checker did not start within ${START_LIMIT_MS / 1000} s`);

/** Node's exit code for a script that awaits what nothing is left to settle. */
const UNSETTLED = 13;

export const howItExited = (code: number): string =>
  code === UNSETTLED
    ? 'the checker waits for a promise that never settles'
    : `the checker ended its thread (exit code ${code})`;

/** Starts a worker; what it prints goes to standard error. */
export function startWorker(task: WorkerTask, memoryBytes?: number): Worker {
  const worker = new Worker(entryPoint('worker-main'), {
    workerData: task,
    stdout: true,
    stderr: true,
    ...(memoryBytes !== undefined && {
      resourceLimits: { maxOldGenerationSizeMb: Math.max(MIN_HEAP_MB, Math.ceil(memoryBytes / 2 ** 20)) },
    }),
  });
  passOn([worker.stdout, worker.stderr]);
  return worker;
}

function outcomeOfError(error: unknown, { budget }: Task): Outcome {
  const isOutOfMemory = (error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (isOutOfMemory && budget.memoryBytes !== undefined) return unknown('memory', memoryDetail(budget));
  const text = errorText(error);
  return unknown(isOutOfMemory ? 'memory' : 'crashed', `${text.name}: ${text.message}`, text);
}

const MEMORY_EVERY_MS = 25;
/** Less than this and a worker cannot begin. */
const MIN_HEAP_MB = 16;
