/** Results on disk: a JSON Lines file per scale, to which rows are appended as they are measured. */
import type { ResultRow } from './row-shape.ts';
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BenchError } from '../experiment/errors.ts';
import type { Point } from '../experiment/experiment.ts';
import { whyNoRow } from './row-shape.ts';

export const resultsFile = (reports: string, scale: string): string => join(reports, 'results', `${scale}.jsonl`);

/**
 * Reads all rows. An incomplete last line, for example after a power failure, is left out. Any other line that is not a
 * row is refused.
 */
export function readRows(path: string): ResultRow[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  const rows: ResultRow[] = [];
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const isLast = i === lines.length - 1;
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch (error) {
      if (isLast) break;
      throw noRow(path, i, `it is not valid JSON: ${(error as Error).message}`);
    }
    const problem = whyNoRow(row);
    if (problem !== null) throw noRow(path, i, problem);
    rows.push(row as ResultRow);
  }
  return rows;
}

const noRow = (path: string, line: number, problem: string): BenchError =>
  new BenchError(
    `${path}, line ${line + 1}: this is not a row of results of isolab bench: ${problem}. Delete the line to continue without it.`,
  );

/** Opens the file for appending; removes an incomplete last line, so that all lines stay whole. */
export function rowWriter(path: string): (row: ResultRow) => void {
  mkdirSync(dirname(path), { recursive: true });
  const before = existsSync(path) ? readFileSync(path) : null;
  if (before !== null && before.length > 0 && before.at(-1) !== NEWLINE) {
    if (isWhole(before)) appendFileSync(path, '\n');
    else truncateSync(path, before.lastIndexOf(NEWLINE) + 1);
  }
  // One write per row, so that an interruption leaves whole lines.
  return (row) => appendFileSync(path, `${JSON.stringify(row)}\n`);
}

/** Returns whether the last line lacks only its line break. */
function isWhole(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8', bytes.lastIndexOf(NEWLINE) + 1));
    return true;
  } catch {
    return false;
  }
}

const NEWLINE = 10;

/** Latest row of every cell, in the order of the file. */
export function latestRows(rows: readonly ResultRow[]): ResultRow[] {
  const last = new Map<string, ResultRow>();
  for (const row of rows) last.set(placeOf(row), row);
  return rows.filter((row) => last.get(placeOf(row)) === row);
}

/** Place of a result in its experiment. */
export const placeOf = (cell: {
  readonly experiment: string;
  readonly series: string;
  readonly x: Point;
  readonly repeat: number;
}): string => JSON.stringify([cell.experiment, cell.series, cell.x, cell.repeat]);
