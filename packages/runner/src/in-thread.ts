import type { Checker, CheckInput } from '@isolab/checker';
import { absoluteNow, makeBoard, makeNames, readBoard } from './board.ts';
import { beginContext } from './context.ts';
import { execute } from './execute.ts';
import { GRACE_MS, PROGRESS_EVERY_MS, type RunRecord, type Task, type Watch, delay, progressOf } from './job.ts';
import { cpuTimeMs, peakResidentBytes, residentBytes } from './memory.ts';
import { type Outcome, timeoutDetail, unknown } from './outcome.ts';

/** Runs a checker right here. Limits hold where it calls `tick`, or where it waits for a promise. */
export async function runInThread(
  checker: Checker,
  input: CheckInput,
  task: Task,
  { signal, onProgress }: Watch,
  now: () => number = absoluteNow,
): Promise<RunRecord> {
  const board = makeBoard();
  const names = makeNames();
  let isLeft = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (isNewStage: boolean): void => {
    const at = performance.now();
    if (!isNewStage && at - toldAt < PROGRESS_EVERY_MS) return;
    if (!isNewStage) toldAt = at;
    const progress = progressOf(readBoard(board, names, now()));
    if (progress) onProgress?.(progress);
  };
  const cpuBefore = cpuTimeMs();
  const hosted = beginContext({
    ...task,
    board,
    names,
    now,
    isAborted: () => isLeft || (signal?.aborted ?? false),
    residentBytes,
    ...(onProgress && { onProgress: tell }),
  });
  const running = execute(checker, input, task.level, task.options, hosted);
  const outcome = await orLeave(running, task, signal);
  isLeft = true;
  return {
    ...outcome,
    snapshot: readBoard(board, names, now()),
    cpuMs: cpuTimeMs() - cpuBefore,
    peakRssBytes: peakResidentBytes(),
    startMs: 0,
  };
}

/** The outcome, unless the checker waits for something beyond its limits: then it is left behind. */
async function orLeave(running: Promise<Outcome>, { budget }: Task, signal: AbortSignal | undefined): Promise<Outcome> {
  const timers: NodeJS.Timeout[] = [];
  let onAbort = (): void => {};
  const left = new Promise<Outcome>((leave) => {
    onAbort = () => void timers.push(setTimeout(() => leave(unknown('aborted', 'the run was aborted')), GRACE_MS));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    if (budget.timeMs === undefined) return;
    const timeIsUp = (): void => leave(unknown('timeout', timeoutDetail(budget)));
    timers.push(setTimeout(timeIsUp, delay(budget.timeMs + GRACE_MS)));
  });
  try {
    return await Promise.race([running, left]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    for (const timer of timers) clearTimeout(timer);
  }
}
