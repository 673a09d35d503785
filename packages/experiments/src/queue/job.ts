/** What goes through the queue: groups of tasks one way, their rows the other. Plain data throughout. */
import type { ResultRow } from '../row-shape.ts';
import { whyNoRow } from '../row-shape.ts';
import type { Task } from '../task.ts';

/** The series of one point, which one machine runs so that their ratios mean something. */
export interface GroupJob {
  /** Of the producer's code; a worker with another one refuses. */
  readonly program: string;
  readonly commit: string;
  readonly cells: readonly CellJob[];
}

export interface CellJob {
  readonly task: Task;
  /** The checksum of its history, which the worker finds or makes. */
  readonly history: string;
  /** Of its checker. */
  readonly code: string;
  /** The hosts that it need not run on, because the producer has a row from there. */
  readonly known: readonly string[];
}

/** What a worker has of a group so far; it grows with every cell, and the last one of an attempt has all of them. */
export interface GroupReport {
  /** Which start of the group this is, from 1; a group starts again when its worker was lost. */
  readonly attempt: number;
  readonly host: string;
  readonly cells: readonly CellReport[];
}

export interface CellReport {
  readonly cell: number;
  /** Null where the producer knows the row from that host. */
  readonly row: ResultRow | null;
}

/** Whether data from the queue is a report; another program may write there, too. */
export function isReport(value: unknown): value is GroupReport {
  if (typeof value !== 'object' || value === null) return false;
  const { attempt, host, cells } = value as Partial<Record<keyof GroupReport, unknown>>;
  return Number.isSafeInteger(attempt) && typeof host === 'string' && Array.isArray(cells) && cells.every(isCellReport);
}

function isCellReport(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { cell, row } = value as Partial<Record<keyof CellReport, unknown>>;
  return Number.isSafeInteger(cell) && (cell as number) >= 0 && (row === null || whyNoRow(row) === null);
}

/** What to keep of an earlier attempt: everything from the same kind of host, otherwise nothing. */
export const keptOf = (earlier: unknown, host: string): readonly CellReport[] =>
  isReport(earlier) && earlier.host === host ? earlier.cells : [];
