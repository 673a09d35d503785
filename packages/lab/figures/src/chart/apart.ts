// Finds adjacent numbers that were not measured under the same conditions.

import type { Measurement } from '../results/results.ts';
import { gaveUp } from './points.ts';

/** A point whose series were measured in different runs, and the load of the machine in them. */
export interface Apart {
  readonly x: number | string;
  readonly low: number;
  readonly high: number;
}

/** Finds the points with rows from several runs; only of the named series, if any are named. */
export function apartAt(rows: readonly Measurement[], series?: readonly string[]): Apart[] {
  const own = rows.filter(
    (row) => row.verdict !== 'skipped' && !gaveUp(row) && (series === undefined || series.includes(row.series)),
  );
  return [...new Set(own.map(({ x }) => x))].flatMap((x) => {
    const at = own.filter((row) => row.x === x);
    const repeats = [...new Set(at.map(({ repeat }) => repeat))].map((repeat) =>
      at.filter((row) => row.repeat === repeat),
    );
    if (!repeats.some(areApart)) return [];
    const loads = at.map(({ run }) => run.load);
    return [{ x, low: Math.min(...loads), high: Math.max(...loads) }];
  });
}

function areApart(rows: readonly Measurement[]): boolean {
  if (new Set(rows.map(({ run }) => run.together)).size > 1) return true;
  if (rows.some(({ run }) => run.together !== undefined)) return false;
  // Older results do not state which rows were measured together; rows measured together have no long pauses between
  // them.
  const times = rows.map(({ run }) => Date.parse(run.at)).filter((time) => !Number.isNaN(time));
  return times.length > 1 && Math.max(...times) - Math.min(...times) > LONGEST_MS;
}

const LONGEST_MS = 3_600_000;

/** Formats the points as text: "at 5, 10 (load 2.9 to 10)". */
export function apartText(points: readonly Apart[]): string {
  const low = Math.min(...points.map((point) => point.low));
  const high = Math.max(...points.map((point) => point.high));
  return `at ${points.map(({ x }) => x).join(', ')} (load ${low.toFixed(1)} to ${high.toFixed(1)})`;
}
