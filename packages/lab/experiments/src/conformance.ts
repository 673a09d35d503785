import type { Demand, Shown } from '@isolab/contract';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bench, countCells } from './bench.ts';
import type { BenchOptions } from './measurement/bench-options.ts';
import { type ExperimentFile, SCALES } from './experiment/experiment.ts';
import type { ResultRow } from './measurement/row-shape.ts';

type Environment = Pick<BenchOptions, 'root' | 'datasets' | 'tools' | 'loadChecker'>;

/** Tests for every experiment: its grid has points, and the smallest ones can be measured. */
export function experimentDemands(experiment: ExperimentFile, environment: Environment): readonly Demand[] {
  return [
    {
      name: 'its grid has points at every scale',
      expected: 'at least one point in each of grid.ci, grid.laptop and grid.paper',
      show: () => cells(experiment),
    },
    {
      name: 'its smallest point can be measured',
      expected: 'a verdict for every series that the limits allow, without contradictions',
      show: () => measured(experiment, environment),
    },
  ];
}

function cells(experiment: ExperimentFile): Shown {
  const counts = SCALES.map((scale) => [scale, countCells(experiment, scale)] as const);
  const found = counts.map(([scale, count]) => `${count} cells at ${scale}`).join(', ');
  return { holds: counts.every(([, count]) => count > 0), found };
}

/** Measures in a folder of its own: a trial run is not a result. */
async function measured(experiment: ExperimentFile, environment: Environment): Promise<Shown> {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-experiment-'));
  const rows: ResultRow[] = [];
  try {
    const { problems } = await bench({
      experiments: [experiment],
      scale: 'ci',
      seed: 1,
      jobs: 1,
      resume: false,
      fresh: true,
      verify: true,
      smallest: true,
      results: join(folder, 'results.jsonl'),
      ...environment,
      cache: join(folder, 'cache'),
      onEvent: (event) => void (event.kind === 'row' && rows.push(event.row)),
    });
    const found = rows.map((row) => `${row.series} at ${row.x}: ${said(row)}`).join('; ');
    if (problems.length > 0) return { holds: false, found: `verdicts or certificates contradict each other: ${found}` };
    const judged = rows.filter(({ verdict }) => verdict === 'satisfied' || verdict === 'violated');
    if (judged.length === 0) return { holds: false, found: found || 'nothing' };
    return { holds: judged.length === rows.length ? true : null, found };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const said = ({ verdict, reason }: ResultRow): string => (reason ? `${verdict} (${reason})` : String(verdict));
