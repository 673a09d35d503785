/** Content of the queue: groups of tasks in one direction, their rows in the other. Plain data throughout. */
import type { ResultRow } from '../measurement/row-shape.ts';
import { whyNoRow } from '../measurement/row-shape.ts';
import type { Task } from '../measurement/task.ts';

/** Series of one point. One machine runs all of them, so that their ratios are meaningful. */
export interface GroupJob {
  /** Version of the producer's code; a worker with another version refuses the group. */
  readonly program: string;
  readonly commit: string;
  readonly cells: readonly CellJob[];
}

export interface CellJob {
  readonly task: Task;
  /** Checksum of the history, which the worker finds or generates. */
  readonly history: string;
  /** Version of the checker's code. */
  readonly code: string;
  /** Hosts that need not run the cell, because the producer has their rows. */
  readonly known: readonly string[];
}

/** Report of a worker on a group so far. It grows with every cell, and the last report of an attempt is complete. */
export interface GroupReport {
  /** Number of the attempt, from 1. A group starts again when its worker was lost. */
  readonly attempt: number;
  readonly host: string;
  readonly cells: readonly CellReport[];
}

export interface CellReport {
  readonly cell: number;
  /** Null if the producer has the row of that host. */
  readonly row: ResultRow | null;
}

/**
 * Reason why a job is not a group of isolab; null if it is one. Other programs and releases may write to the queue,
 * too.
 */
export function whyNoGroup(data: unknown): string | null {
  const { program, commit, cells } = membersOf(data);
  if (typeof program !== 'string' || typeof commit !== 'string' || !Array.isArray(cells))
    return `found ${shortened(data)}, expected a group of cells with the program and the commit of its producer`;
  const wrong = cells.findIndex((cell) => !isCellJob(cell));
  return wrong < 0
    ? null
    : `found ${shortened(cells[wrong])} as cell ${wrong}, expected a task with its history and code`;
}

function isCellJob(cell: unknown): boolean {
  const { task, history, code, known } = membersOf(cell);
  const isTask = typeof task === 'object' && task !== null;
  return isTask && typeof history === 'string' && typeof code === 'string' && Array.isArray(known);
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

export const shortened = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
};

const LONGEST_TEXT = 80;

/** A machine's refusal of a group that it cannot run; the worker reports it as the reason of the group's failure. */
export interface Refusal {
  /** Name of the worker in Redis. */
  readonly worker: string;
  readonly why: string;
}

export const refusalText = ({ worker, why }: Refusal): string => `refused by ${worker}: ${why}`;

export function refusalIn(reason: string): Refusal | null {
  const [, worker, why] = /^refused by (\S+): (.*)$/s.exec(reason) ?? [];
  return worker === undefined || why === undefined ? null : { worker, why };
}

/** Returns whether data from the queue is a report; other programs may write to the queue, too. */
export function isReport(value: unknown): value is GroupReport {
  const { attempt, host, cells } = membersOf(value);
  return Number.isSafeInteger(attempt) && typeof host === 'string' && Array.isArray(cells) && cells.every(isCellReport);
}

function isCellReport(value: unknown): boolean {
  const { cell, row } = membersOf(value);
  return Number.isSafeInteger(cell) && (cell as number) >= 0 && (row === null || whyNoRow(row) === null);
}

/** Reports of an earlier attempt that stay valid: all if they are from the same kind of host, otherwise none. */
export const keptOf = (earlier: unknown, host: string): readonly CellReport[] =>
  isReport(earlier) && earlier.host === host ? earlier.cells : [];
