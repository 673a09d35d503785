import type { Checker, CheckInput } from '@isolab/contract';
import { absoluteNow, makeBoard, makeNames, readBoard } from './board.ts';
import { beginContext } from './context.ts';
import { errorText } from './errors.ts';
import { execute } from './execute.ts';
import {
  GRACE_MS,
  PROGRESS_EVERY_MS,
  type RunRecord,
  type Task,
  type Watch,
  delay,
  loadLimitMs,
  progressOf,
} from './job.ts';
import { type CheckerRef, loadChecker } from './load-checker.ts';
import { plainCopy } from './plain-data.ts';
import { cpuTimeMs, peakResidentBytes, residentBytes } from './memory.ts';
import { type RunOutcome, timeoutDetail, unknown } from './outcome.ts';

/** Runs a checker in this thread. Limits apply when the checker calls `tick` or awaits a promise. */
export async function runInThread(
  ref: CheckerRef,
  input: CheckInput,
  task: Task,
  { signal, onProgress }: Watch,
  now: () => number = absoluteNow,
): Promise<RunRecord> {
  const board = makeBoard();
  const names = makeNames();
  const beginning = now();
  let startMs = 0;
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
  const perform = (checker: Checker): Promise<RunOutcome> => {
    const hosted = beginContext({
      ...task,
      board,
      names,
      now,
      isAborted: () => isLeft || (signal?.aborted ?? false),
      residentBytes,
      ...(onProgress && { onProgress: tell }),
    });
    return execute(checker, input, task.level, task.options, hosted);
  };
  const loadAndPerform = async (): Promise<RunOutcome> => {
    if (ref.url === null) return perform(copying(ref.checker));
    try {
      const { checker } = await loadChecker(ref.url, undefined, ref.imports);
      startMs = now() - beginning;
      return await perform(copying(checker));
    } catch (error) {
      const text = errorText(error);
      return unknown('crashed', text.message, text);
    }
  };
  const outcome = await (ref.isPlugin
    ? runGuarded(loadAndPerform, task, signal)
    : orLeave(perform(ref.checker), task.budget, signal));
  isLeft = true;
  return {
    ...outcome,
    snapshot: readBoard(board, names, now()),
    cpuMs: cpuTimeMs() - cpuBefore,
    peakRssBytes: peakResidentBytes(),
    startMs,
  };
}

/** Runs a plug-in. If it tries to end the process, the run counts as crashed, even if the plug-in returns. */
async function runGuarded(perform: () => Promise<RunOutcome>, { budget }: Task, signal: AbortSignal | undefined) {
  const { guarded } = await import('./thread-guard.ts');
  const { result, onOffence, offence, release } = guarded(perform);
  const offended = new Promise<RunOutcome>((resolve) => {
    onOffence((how) => resolve(unknown('crashed', `the checker ${how}`)));
  });
  const outcome = await orLeave(Promise.race([offended, result]), budget, signal, loadLimitMs(budget));
  const how = offence();
  release();
  return how === null ? outcome : unknown('crashed', `the checker ${how}`);
}

/** Wraps a checker so that its results are copies, which no getter or proxy of a plug-in can change later. */
const copying = (checker: Checker): Checker => ({
  info: checker.info,
  check: async (input, level, options, context) => plainCopy(await checker.check(input, level, options, context)),
});

/** Returns the outcome, or abandons a checker that waits beyond its limits. */
async function orLeave(
  running: Promise<RunOutcome>,
  budget: Task['budget'],
  signal: AbortSignal | undefined,
  extraMs: number = 0,
): Promise<RunOutcome> {
  const timers: NodeJS.Timeout[] = [];
  let onAbort = (): void => {};
  const left = new Promise<RunOutcome>((leave) => {
    onAbort = () => void timers.push(setTimeout(() => leave(unknown('aborted', 'the run was aborted')), GRACE_MS));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    if (budget.timeMs === undefined) return;
    const timeIsUp = (): void => leave(unknown('timeout', timeoutDetail(budget)));
    timers.push(setTimeout(timeIsUp, delay(budget.timeMs + extraMs + GRACE_MS)));
  });
  try {
    return await Promise.race([running, left]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    for (const timer of timers) clearTimeout(timer);
  }
}
