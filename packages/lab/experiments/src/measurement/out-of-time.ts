/**
 * Points at which series of an experiment reached their time limit. Other histories of that point, and larger points if
 * histories become harder with x, would take the same time again: hours at the papers' sizes.
 */
import type { Cell } from './cells.ts';
import type { Point } from '../experiment/experiment.ts';
import type { ResultRow } from './row-shape.ts';

/** A run that reached its time limit; a harder history would have needed at least as much memory. */
export type OutOfTimeAt = Pick<ResultRow, 'x' | 'peakRssBytes'>;

export class OutOfTime {
  readonly #runs = new Map<string, OutOfTimeAt[]>();

  /**
   * Finds the run on an easier history, or on another history of the same point, in which the cell's series reached its
   * time limit; null if the cell must run.
   */
  before({ experiment, series, x, source }: Cell): OutOfTimeAt | null {
    if (source.kind === 'hunted') return null; // the time of a hunt is random
    const isAsHard = (at: Point): boolean => (experiment.x.grows === true ? at <= x : at === x);
    return this.#runs.get(series.name)?.find((run) => isAsHard(run.x)) ?? null;
  }

  note(row: OutOfTimeAt & Pick<ResultRow, 'series' | 'verdict' | 'reason'>): void {
    if (row.verdict !== 'unknown' || row.reason !== 'timeout') return;
    const runs = this.#runs.get(row.series) ?? [];
    runs.push(row);
    runs.sort((a, b) => Number(a.x > b.x) - Number(a.x < b.x));
    this.#runs.set(row.series, runs);
  }
}
