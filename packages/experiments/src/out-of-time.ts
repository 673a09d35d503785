/**
 * Where series of an experiment ran out of time. If histories become harder with x, larger points would only take the
 * same time again, which at the papers' sizes is hours.
 */
import type { Cell } from './cells.ts';
import type { ResultRow } from './row-shape.ts';

/** A run that was out of time; a harder one would have needed as much memory at least. */
export type OutOfTimeAt = Pick<ResultRow, 'x' | 'peakRssBytes'>;

export class OutOfTime {
  readonly #smallest = new Map<string, OutOfTimeAt>();

  /** The run on an easier history in which the series of a cell was out of time; null if the cell is to be run. */
  before({ experiment, series, x }: Pick<Cell, 'experiment' | 'series' | 'x'>): OutOfTimeAt | null {
    const smallest = this.#smallest.get(series.name);
    return experiment.x.grows === true && smallest !== undefined && smallest.x < x ? smallest : null;
  }

  note(row: OutOfTimeAt & Pick<ResultRow, 'series' | 'verdict' | 'reason'>): void {
    if (row.verdict !== 'unknown' || row.reason !== 'timeout') return;
    const smallest = this.#smallest.get(row.series);
    if (smallest === undefined || row.x < smallest.x) this.#smallest.set(row.series, row);
  }
}
