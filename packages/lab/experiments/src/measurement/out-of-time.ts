/**
 * Where series of an experiment ran out of time. Other histories of that point, and larger points if histories become
 * harder with x, would only take the same time again, which at the papers' sizes is hours.
 */
import type { Cell } from './cells.ts';
import type { Point } from '../experiment/experiment.ts';
import type { ResultRow } from './row-shape.ts';

/** A run that was out of time; a harder one would have needed as much memory at least. */
export type OutOfTimeAt = Pick<ResultRow, 'x' | 'peakRssBytes'>;

export class OutOfTime {
  readonly #runs = new Map<string, OutOfTimeAt[]>();

  /** The run on an easier history, or on another one of its point, in which the series of a cell was out of time; null if the cell is to be run. */
  before({ experiment, series, x, source }: Cell): OutOfTimeAt | null {
    if (source.kind === 'hunted') return null; // how long a hunt takes is luck
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
