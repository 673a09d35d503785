import type { Budget, LevelName } from '@isolab/contract';
import { type Board, type Snapshot, EMPTY } from './board.ts';
import type { Skeleton } from './columns.ts';
import type { ErrorText } from './errors.ts';
import type { OptionValues } from './options.ts';
import type { RunOutcome } from './outcome.ts';
import type { OwnImports } from './own-imports.ts';

/** Description of a run for all three places. */
export interface Task {
  readonly level: LevelName;
  readonly options: OptionValues;
  readonly budget: Budget;
  readonly certify: boolean;
  readonly findAll: boolean;
}

/** Task for a worker or a process, which loads the checker itself. */
export interface MovedTask extends Task, ModuleOfChecker {}

export interface ModuleOfChecker {
  readonly url: string;
  readonly imports?: OwnImports;
}

export interface Progress {
  readonly stage: string;
  readonly done: number;
  /** 0 if the checker does not state a total. */
  readonly total: number;
  readonly steps: number;
  readonly wallMs: number;
}

export interface Watch {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface RunRecord extends RunOutcome {
  readonly snapshot: Snapshot;
  readonly cpuMs: number;
  readonly peakRssBytes: number | null;
  /** Time spent on transferring the history and loading the checker. */
  readonly startMs: number;
}

/** Callbacks for a run in its own thread or process. */
export interface Waiting {
  resolve(record: RunRecord): void;
  reject(error: Error): void;
}

export const neverBegan = (outcome: RunOutcome): RunRecord => ({
  ...outcome,
  snapshot: EMPTY,
  cpuMs: 0,
  peakRssBytes: null,
  startMs: 0,
});

export function progressOf({ progress, steps, wallMs }: Snapshot): Progress | null {
  return progress && { ...progress, steps, wallMs };
}

/** Task of a worker: running a checker, or describing a plug-in. */
export type WorkerTask = RunTask | ({ readonly kind: 'describe' } & ModuleOfChecker);

export interface RunTask extends MovedTask {
  readonly kind: 'run';
  readonly board: Board;
  readonly input: object;
}

export type FromWorker =
  /** Our code is loaded, and the checker's code is loaded next. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'started' }
  | Described
  | { readonly kind: 'stages' | 'counters'; readonly name: string }
  | { readonly kind: 'ended'; readonly outcome: RunOutcome };

/** Description of a plug-in, or the reason why the module is not a plug-in. */
export type Described =
  | { readonly kind: 'described'; readonly info: unknown }
  | { readonly kind: 'refused'; readonly error: ErrorText };

/** Messages to a child process. The bytes of the columns follow on a separate pipe. */
export type ToProcess =
  | { readonly kind: 'task'; readonly task: MovedTask; readonly input: Skeleton }
  | ({ readonly kind: 'describe'; readonly limitMs: number } & ModuleOfChecker)
  | { readonly kind: 'abort' };

/** File descriptor of the pipe for columns in the child process. */
export const COLUMNS_PIPE = 4;

export type FromProcess =
  | Described
  | { readonly kind: 'started' }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot; readonly cpuMs: number; readonly peakRssBytes: number }
  | { readonly kind: 'ended'; readonly record: RunRecord };

/** Time for a run to stop by itself before it is stopped. */
export const GRACE_MS = 300;
/** Time limit for starting a process, transferring the history and loading the checker. */
export const START_LIMIT_MS = 120_000;

/** Time limit for loading a checker's code. Even a small time budget leaves some time for loading on a busy machine. */
export const loadLimitMs = ({ timeMs = LOAD_LIMIT_MS }: Budget): number =>
  Math.min(LOAD_LIMIT_MS, Math.max(timeMs, SHORTEST_LOAD_LIMIT_MS));

const LOAD_LIMIT_MS = 30_000;
const SHORTEST_LOAD_LIMIT_MS = 3000;
export const PROGRESS_EVERY_MS = 100;

/** Limits a delay to the range of timers, because longer delays would fire immediately. */
export const delay = (ms: number): number => Math.min(ms, 2 ** 31 - 1);
