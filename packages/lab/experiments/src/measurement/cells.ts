/** Cells of an experiment, in the order of their execution. */
import { Random } from '@isolab/workloads';
import {
  type ExperimentFile,
  type Point,
  type ResolvedSource,
  type Scale,
  type Series,
  seriesOfRepeat,
  sourceAt,
} from '../experiment/experiment.ts';

/** A run of a series' checker at a point. */
export interface Cell {
  readonly experiment: ExperimentFile;
  readonly series: Series;
  readonly x: Point;
  readonly repeat: number;
  readonly level: string;
  readonly source: ResolvedSource;
}

/** Cells that are compared with one another; they run consecutively. */
export type Group = readonly Cell[];

/**
 * Orders the cells by repeat, and points and series randomly, so that disturbances affect all series alike. Points
 * whose histories become harder come in order, see OutOfTime.
 */
export function groupsOf(experiment: ExperimentFile, scale: Scale, seed: number): Group[] {
  const random = new Random(seed);
  const groups: Group[] = [];
  for (let repeat = 0; repeat < experiment.repeats[scale]; repeat++) {
    const points = experiment.grid[scale];
    for (const x of experiment.x.grows === true ? points : shuffled(points, random)) {
      const cells = seriesOfRepeat(experiment, scale, repeat).map((series) => ({
        experiment,
        series,
        x,
        repeat,
        level: series.level ?? experiment.level,
        source: sourceAt(experiment, series, x, scale, repeat),
      }));
      groups.push(shuffled(cells, random));
    }
  }
  return groups;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
