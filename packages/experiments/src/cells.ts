/** The cells of an experiment, in the order in which they run. */
import {
  type ExperimentFile,
  type Point,
  type ResolvedSource,
  type Scale,
  type Series,
  seriesAt,
  sourceAt,
} from './experiment.ts';
import { randomFrom, shuffled } from './random.ts';

/** One run: of a series' checker at a point. */
export interface Cell {
  readonly experiment: ExperimentFile;
  readonly series: Series;
  readonly x: Point;
  readonly repeat: number;
  readonly level: string;
  readonly source: ResolvedSource;
}

/** Cells that are compared with one another; they run one right after the other. */
export type Group = readonly Cell[];

/**
 * One repeat after another; within a repeat the points in random order, and at each point all series, in random order
 * again: whatever disturbs the machine for a while, and however it warms up, strikes all series alike.
 */
export function groupsOf(experiment: ExperimentFile, scale: Scale, seed: number): Group[] {
  const random = randomFrom(seed);
  const groups: Group[] = [];
  for (let repeat = 0; repeat < experiment.repeats[scale]; repeat++) {
    for (const x of shuffled(experiment.grid[scale], random)) {
      const cells = seriesAt(experiment, scale).map((series) => ({
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
