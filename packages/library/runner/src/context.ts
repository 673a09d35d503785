import { type Budget, type CheckerReason, type RunContext, Stop } from '@isolab/contract';
import { type Board, type Names, STARTED, STEPS, Scribe } from './board.ts';
import { memoryDetail, timeoutDetail } from './outcome.ts';

export interface ContextOptions {
  readonly board: Board;
  readonly names: Names;
  readonly budget: Budget;
  readonly certify: boolean;
  readonly findAll: boolean;
  readonly now: () => number;
  readonly isAborted: () => boolean;
  readonly residentBytes?: () => number;
  readonly announce?: (kind: keyof Names, name: string) => void;
  readonly onProgress?: (isNewStage: boolean) => void;
}

/** The checker's side of a run, and for the host the reason for a requested stop, if any. */
export interface HostedContext {
  readonly context: RunContext;
  stopped(): Stop | null;
  end(): void;
}

/**
 * Begins a run. The methods do not use `this`, so that a checker may destructure them.
 * `tick` reads the clock about once per millisecond. It adapts the number of steps between two readings, because a step
 * may be a literal in one checker and a transaction in another. The step limit is exact nevertheless.
 */
export function beginContext(options: ContextOptions): HostedContext {
  const { board, names, budget, now, isAborted, residentBytes, onProgress } = options;
  const { numbers } = board;
  const scribe = new Scribe(board, names, now, options.announce ?? (() => {}));
  scribe.start();
  const maxSteps = budget.steps ?? Number.POSITIVE_INFINITY;
  const deadline = numbers[STARTED] + (budget.timeMs ?? Number.POSITIVE_INFINITY);
  const maxBytes = budget.memoryBytes ?? Number.POSITIVE_INFINITY;
  let stopped: Stop | null = null;
  let lookAfter = Number.NEGATIVE_INFINITY; // number of steps up to which `tick` skips its checks
  let interval = 1;
  let lookedAt = numbers[STARTED];
  let weighAfter = lookedAt;

  const stop = (reason: CheckerReason, detail: string): never => {
    stopped = new Stop(reason, detail);
    lookAfter = Number.NEGATIVE_INFINITY; // every later tick throws it again
    throw stopped;
  };
  const look = (spent: number, amount: number): void => {
    if (stopped) throw stopped;
    if (typeof amount !== 'number' || !(amount >= 0))
      throw new TypeError(`tick takes a number of steps, not ${String(amount)}`);
    if (spent > maxSteps) stop('steps', `the budget of ${maxSteps} steps is spent`);
    numbers[STEPS] = spent;
    if (isAborted()) stop('aborted', 'the run was aborted');
    const at = now();
    if (at > deadline) stop('timeout', timeoutDetail(budget));
    if (residentBytes && maxBytes < Number.POSITIVE_INFINITY && at >= weighAfter) {
      if (residentBytes() > maxBytes) stop('memory', memoryDetail(budget));
      weighAfter = at + WEIGH_MS;
    }
    const elapsed = at - lookedAt;
    lookedAt = at;
    onProgress?.(false);
    if (elapsed < LOOK_MS) interval = Math.min(interval * 2, MAX_INTERVAL);
    else if (elapsed > 4 * LOOK_MS) interval = Math.max(interval >> 2, 1);
    lookAfter = Math.min(spent + interval - 1, maxSteps);
  };

  const context: RunContext = {
    certify: options.certify,
    findAll: options.findAll,
    stage: (name) => {
      scribe.stage(name);
      onProgress?.(true);
    },
    count: (name, amount) => scribe.count(name, amount),
    progress: (done, total) => {
      scribe.progress(done, total);
      onProgress?.(false);
    },
    tick: (amount) => {
      const spent = numbers[STEPS] + amount;
      if (amount >= 0 && spent <= lookAfter) numbers[STEPS] = spent;
      else look(spent, amount);
    },
  };
  return { context, stopped: () => stopped, end: () => scribe.end() };
}

const LOOK_MS = 1;
/** Milliseconds between two readings of the memory; a reading takes tens of microseconds. */
const WEIGH_MS = 10;
const MAX_INTERVAL = 1 << 16;
