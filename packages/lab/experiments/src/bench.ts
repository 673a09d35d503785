/** Runs experiments cell by cell, and writes each result as soon as it is measured. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { lock } from '@isolab/collector';
import type { BenchOptions, Runner } from './measurement/bench-options.ts';
import { type Group, groupsOf } from './measurement/cells.ts';
import type { ExperimentFile, Scale } from './experiment/experiment.ts';
import { runHere } from './measurement/local.ts';
import { Measurer } from './measurement/measure.ts';
import { type Counts, Results } from './measurement/results.ts';
import { type ExperimentProblem, Session } from './measurement/session.ts';

export interface BenchSummary extends Counts {
  readonly problems: readonly ExperimentProblem[];
  readonly interrupted: boolean;
}

export async function bench(options: BenchOptions): Promise<BenchSummary> {
  // Two processes that write to one file would each measure the other's cells.
  mkdirSync(dirname(options.results), { recursive: true });
  const held = lock(options.results, 'isolab bench');
  try {
    return await benchAlone(options);
  } finally {
    held.release();
  }
}

async function benchAlone(options: BenchOptions): Promise<BenchSummary> {
  const { signal, onEvent, queue, others = {} } = options;
  const results = new Results(options.results, others, (row, measured) => onEvent?.({ kind: 'row', row, measured }));
  const measurer = new Measurer({ ...options, collects: queue === undefined });
  const session = new Session(measurer, results, options);
  const producer = queue && (await (await import('./queue/producer.ts')).openProducer(session, queue, signal, onEvent));
  const run: Runner = producer ? producer.run : runHere(session, options);
  const problems: ExperimentProblem[] = [];
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
    await measurer.close();
  }
  return { ...results.counts(), problems, interrupted: signal?.aborted === true };
}

function groupsToRun(experiment: ExperimentFile, { scale, seed, smallest = false }: BenchOptions): Group[] {
  const first = experiment.grid[scale][0];
  return groupsOf(experiment, scale, seed).filter(([cell]) => !smallest || (cell?.x === first && cell?.repeat === 0));
}

export const countCells = (experiment: ExperimentFile, scale: Scale): number =>
  groupsOf(experiment, scale, 1).flat().length;
