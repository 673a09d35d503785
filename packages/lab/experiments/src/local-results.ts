/**
 * Local results beside those of the repository. The repository's results are in reports/results, where only `--publish`
 * writes. Local results are in reports/local, which git ignores, so measuring changes no tracked file.
 */
import { join } from 'node:path';
import type { ResultRow } from './measurement/row-shape.ts';
import { latestRows, readRows, resultsFile } from './measurement/rows.ts';

/** Folder with the same layout as reports/: results/SCALE.jsonl, and the pages of a scale in SCALE/. */
export const localReports = (reports: string): string => join(reports, 'local');

export interface ShownResults {
  readonly rows: readonly ResultRow[];
  readonly own: readonly ResultRow[];
  /** Measurements of the repository that local ones replace. */
  readonly replaced: readonly ResultRow[];
}

/** Results of a scale: the repository's, overlaid with local ones if `withOwn` is set. */
export function shownResults(reports: string, scale: string, withOwn: boolean): ShownResults {
  const base = readRows(resultsFile(reports, scale));
  return overlaid(base, withOwn ? readRows(resultsFile(localReports(reports), scale)) : []);
}

/**
 * Overlays the repository's measurements with local ones. A local measurement of a series at a point replaces all of
 * the repository's there, whose repeats ran on another machine or with other code. A cell that could not run here hides
 * no measurement.
 */
export function overlaid(base: readonly ResultRow[], local: readonly ResultRow[]): ShownResults {
  const repository = latestRows(base);
  const isMeasured = ({ verdict }: ResultRow): boolean => verdict !== 'skipped';
  const measured = new Set(repository.filter(isMeasured).map(pointOf));
  // A measurement that was published later is in both.
  const published = new Set(repository.map((row) => JSON.stringify(row)));
  const own = latestRows(local).filter(
    (row) => (isMeasured(row) || !measured.has(pointOf(row))) && !published.has(JSON.stringify(row)),
  );
  const replaces = new Set(own.map(pointOf));
  return {
    rows: [...repository.filter((row) => !replaces.has(pointOf(row))), ...own],
    own,
    replaced: repository.filter((row) => isMeasured(row) && replaces.has(pointOf(row))),
  };
}

const pointOf = ({ experiment, series, x }: ResultRow): string => JSON.stringify([experiment, series, x]);
