/** Runs experiments cell by cell, and writes every result down as it comes. */
import process from 'node:process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { lock } from '@isolab/collector';
import type { Progress } from '@isolab/runner';
import type { ResultRow } from '@isolab/figures';
import { type Cell, type Group, groupsOf } from './cells.ts';
import { type ExperimentFile, type Scale, seriesAt } from './experiment.ts';
import { runHere } from './local.ts';
import { Measurer, type MeasurerOptions } from './measure.ts';
import type { QueueOptions } from './queue/settings.ts';
import { type Counts, Results } from './results.ts';
import type { Limits } from './run-cell.ts';
import { type Problem, Session, type SessionOptions } from './session.ts';

export interface BenchOptions extends Omit<MeasurerOptions, 'named'>, SessionOptions {
  readonly experiments: readonly ExperimentFile[];
  /** Of the order in which cells run. */
  readonly seed: number;
  /** Only the first point of every grid. */
  readonly smallest?: boolean;
  /** Where the rows go. */
  readonly results: string;
  /** Has the workers of a queue run the cells; they run here without it. */
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
  | { readonly kind: 'progress'; readonly cell: Cell; readonly progress: Progress }
  | { readonly kind: 'row'; readonly row: ResultRow; readonly measured: boolean }
  | { readonly kind: 'problem'; readonly experiment: ExperimentFile; readonly problem: Problem }
  /** Something that whoever waits for a queue should know. */
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'ends'; readonly experiment: ExperimentFile; readonly rows: readonly ResultRow[] };

export interface BenchSummary extends Counts {
  readonly problems: readonly Problem[];
  readonly interrupted: boolean;
}

/** Runs the cells of one experiment, wherever that is, and stops at the first problem. */
export type Runner = (experiment: ExperimentFile, groups: readonly Group[]) => Promise<Outcome>;

export interface Outcome {
  readonly rows: readonly ResultRow[];
  readonly problem: Problem | null;
}

export async function bench(options: BenchOptions): Promise<BenchSummary> {
  // Two that write into one file would both measure what the other one does.
  mkdirSync(dirname(options.results), { recursive: true });
  const held = lock(options.results, 'isolab bench');
  process.on('exit', held.release); // also where there is no time to end in order
  try {
    return await benchAlone(options);
  } finally {
    held.release();
    process.off('exit', held.release);
  }
}

async function benchAlone(options: BenchOptions): Promise<BenchSummary> {
  const { signal, onEvent, queue } = options;
  const results = new Results(options.results, (row, measured) => onEvent?.({ kind: 'row', row, measured }));
  const session = new Session(new Measurer(options), results, options);
  const producer = queue && (await (await import('./queue/producer.ts')).openProducer(session, queue, signal, onEvent));
  const run: Runner = producer ? producer.run : runHere(session, options);
  const problems: Problem[] = [];
  try {
    for (const experiment of options.experiments) {
      if (signal?.aborted) break;
      const groups = groupsToRun(experiment, options);
      onEvent?.({ kind: 'begins', experiment, cells: groups.flat().length });
      const { rows, problem } = await run(experiment, groups);
      if (problem) {
        problems.push(problem);
        onEvent?.({ kind: 'problem', experiment, problem });
      }
      onEvent?.({ kind: 'ends', experiment, rows });
    }
  } finally {
    await producer?.close();
  }
  return { ...results.counts(), problems, interrupted: signal?.aborted === true };
}

function groupsToRun(experiment: ExperimentFile, { scale, seed, smallest = false }: BenchOptions): Group[] {
  const first = experiment.grid[scale][0];
  return groupsOf(experiment, scale, seed).filter(([cell]) => !smallest || (cell?.x === first && cell?.repeat === 0));
}

/** How many cells an experiment has at a scale. */
export const countCells = (experiment: ExperimentFile, scale: Scale): number =>
  experiment.grid[scale].length * seriesAt(experiment, scale).length * experiment.repeats[scale];
