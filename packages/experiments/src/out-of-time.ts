/**
 * Where series of an experiment ran out of time. If histories become harder with x, larger points would only take the
 * same time again, which at the papers' sizes is hours.
 */
import type { Cell } from './cells.ts';
import type { Point } from './experiment.ts';
import type { ResultRow } from './row-shape.ts';

export class OutOfTime {
  readonly #smallest = new Map<string, number>();

  /** The smaller point at which the series of a cell ran out of time; null if it is to be run. */
  before({ experiment, series, x }: Pick<Cell, 'experiment' | 'series' | 'x'>): number | null {
    const smallest = this.#smallest.get(series.name);
    return experiment.x.grows === true && smallest !== undefined && smallest < Number(x) ? smallest : null;
  }

  note({ series, x, verdict, reason }: { series: string; x: Point } & Pick<ResultRow, 'verdict' | 'reason'>): void {
    if (verdict !== 'unknown' || reason !== 'timeout') return;
    this.#smallest.set(series, Math.min(Number(x), this.#smallest.get(series) ?? Infinity));
  }
}
