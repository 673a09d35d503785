import type { Progress } from '@isolab/runner';
import type { ResultRow } from './row-shape.ts';
import type { Cell, Group } from './cells.ts';
import type { ExperimentFile } from '../experiment/experiment.ts';
import type { MeasurerOptions } from './measure.ts';
import type { QueueOptions } from './settings.ts';
import type { OtherResults } from './results.ts';
import type { Limits } from './run-cell.ts';
import type { ExperimentProblem, SessionOptions } from './session.ts';

export interface BenchOptions extends Omit<MeasurerOptions, 'named' | 'collects'>, SessionOptions {
  readonly experiments: readonly ExperimentFile[];
  /** Seed of the order in which cells run. */
  readonly seed: number;
  /** Measures only the first point of every grid. */
  readonly smallest?: boolean;
  /** File of the result rows. */
  readonly results: string;
  readonly others?: OtherResults;
  /** If set, the workers of a queue run the cells. */
  readonly queue?: QueueOptions | undefined;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: BenchEvent) => void;
}

export type BenchEvent =
  | { readonly kind: 'begins'; readonly experiment: ExperimentFile; readonly cells: number }
  | {
      readonly kind: 'runs';
      readonly cell: Cell;
      readonly limits: Limits;
      readonly done: number;
      readonly cells: number;
    }
  /** A history is being collected from a database, or searched for among the kept ones. */
  | { readonly kind: 'collects'; readonly experiment: string; readonly database: string; readonly workload: string }
  | { readonly kind: 'progress'; readonly cell: Cell; readonly progress: Progress }
  | { readonly kind: 'row'; readonly row: ResultRow; readonly measured: boolean }
  | { readonly kind: 'problem'; readonly experiment: ExperimentFile; readonly problem: ExperimentProblem }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'ends'; readonly experiment: ExperimentFile; readonly rows: readonly ResultRow[] };

/** Runs the cells of one experiment, here or on a queue, and stops at the first problem. */
export type Runner = (experiment: ExperimentFile, groups: readonly Group[]) => Promise<BenchOutcome>;

export interface BenchOutcome {
  readonly rows: readonly ResultRow[];
  readonly problem: ExperimentProblem | null;
}
