/** Results on disk: a file of JSON Lines a scale, to which rows are appended as they come. */
import type { ResultRow } from '@isolab/visualise';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Point } from './experiment.ts';

export const resultsFile = (reports: string, scale: string): string => join(reports, 'results', `${scale}.jsonl`);

/** All rows; a last line that was cut off, as by a power failure, is left out. */
export function readRows(path: string): ResultRow[] {
  if (!existsSync(path)) return [];
  const rows: ResultRow[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    try {
      rows.push(JSON.parse(line) as ResultRow);
    } catch {
      continue;
    }
  }
  return rows;
}

/** Opens the file for rows; a line that was cut off gets its end, so that the next one is whole. */
export function rowWriter(path: string): (row: ResultRow) => void {
  mkdirSync(dirname(path), { recursive: true });
  const before = existsSync(path) ? readFileSync(path) : null;
  if (before !== null && before.length > 0 && before.at(-1) !== NEWLINE) appendFileSync(path, '\n');
  // One write a row, so that an interruption leaves whole lines.
  return (row) => appendFileSync(path, `${JSON.stringify(row)}\n`);
}

const NEWLINE = 10;

/** Of every cell the row that was written last, in the order of the file. */
export function latestRows(rows: readonly ResultRow[]): ResultRow[] {
  const last = new Map<string, ResultRow>();
  for (const row of rows) last.set(placeOf(row), row);
  return rows.filter((row) => last.get(placeOf(row)) === row);
}

/** Where in its experiment a result belongs. */
export const placeOf = (cell: {
  readonly experiment: string;
  readonly series: string;
  readonly x: Point;
  readonly repeat: number;
}): string => JSON.stringify([cell.experiment, cell.series, cell.x, cell.repeat]);
