import type { Budget, LevelName } from '@isolab/contract';
import { type Board, type Snapshot, EMPTY } from './board.ts';
import type { Skeleton } from './columns.ts';
import type { ErrorText } from './errors.ts';
import type { OptionValues } from './options.ts';
import type { RunOutcome } from './outcome.ts';
import type { OwnImports } from './own-imports.ts';

/** A run, as all three places take it. */
export interface Task {
  readonly level: LevelName;
  readonly options: OptionValues;
  readonly budget: Budget;
  readonly certify: boolean;
  readonly findAll: boolean;
}

/** Task for a worker or a process, which load the checker again. */
export interface MovedTask extends Task, ModuleOfChecker {}

export interface ModuleOfChecker {
  readonly url: string;
  readonly imports?: OwnImports;
}

export interface Progress {
  readonly stage: string;
  readonly done: number;
  /** 0 where the checker does not say. */
  readonly total: number;
  readonly steps: number;
  readonly wallMs: number;
}

export interface Watch {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Report of a place on a run. */
export interface RunRecord extends RunOutcome {
  readonly snapshot: Snapshot;
  readonly cpuMs: number;
  readonly peakRssBytes: number | null;
  /** Time that it took to hand the history over and load the checker. */
  readonly startMs: number;
}

/** Hears how a run goes that has a thread or a process of its own. */
export interface Waiting {
  resolve(record: RunRecord): void;
  /** Called if the run could not be started. */
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

/** Task of a worker: run a checker, or describe a plug-in. */
export type WorkerTask = RunTask | ({ readonly kind: 'describe' } & ModuleOfChecker);

export interface RunTask extends MovedTask {
  readonly kind: 'run';
  readonly board: Board;
  readonly input: object;
}

export type FromWorker =
  /** Our own code is loaded; the code of the checker follows. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'started' }
  | Described
  | { readonly kind: 'stages' | 'counters'; readonly name: string }
  | { readonly kind: 'ended'; readonly outcome: RunOutcome };

/** Description of a plug-in, or the reason why it is none. */
export type Described =
  | { readonly kind: 'described'; readonly info: unknown }
  | { readonly kind: 'refused'; readonly error: ErrorText };

/** Messages to a child process; the bytes of the columns follow on their own pipe. */
export type ToProcess =
  | { readonly kind: 'task'; readonly task: MovedTask; readonly input: Skeleton }
  | ({ readonly kind: 'describe'; readonly limitMs: number } & ModuleOfChecker)
  | { readonly kind: 'abort' };

/** The file descriptor of that pipe in the process. */
export const COLUMNS_PIPE = 4;

export type FromProcess =
  | Described
  | { readonly kind: 'started' }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot; readonly cpuMs: number; readonly peakRssBytes: number }
  | { readonly kind: 'ended'; readonly record: RunRecord };

/** Time that a run may take to stop by itself before it is stopped. */
export const GRACE_MS = 300;
/** Time that it may take to start a process, to hand the history over and to load the checker. */
export const START_LIMIT_MS = 120_000;

/** Time that the code of a checker may take to load. A short limit of time still leaves a busy machine some. */
export const loadLimitMs = ({ timeMs = LOAD_LIMIT_MS }: Budget): number =>
  Math.min(LOAD_LIMIT_MS, Math.max(timeMs, SHORTEST_LOAD_LIMIT_MS));

const LOAD_LIMIT_MS = 30_000;
const SHORTEST_LOAD_LIMIT_MS = 3000;
export const PROGRESS_EVERY_MS = 100;

/** A delay that timers take: longer ones would fire at once. */
export const delay = (ms: number): number => Math.min(ms, 2 ** 31 - 1);
