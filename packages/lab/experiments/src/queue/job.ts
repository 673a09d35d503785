/** Content of the queue: groups of tasks one way, their rows the other. Plain data throughout. */
import type { ResultRow } from '../measurement/row-shape.ts';
import { whyNoRow } from '../measurement/row-shape.ts';
import type { Task } from '../measurement/task.ts';

/** Series of one point, which one machine runs to make their ratios meaningful. */
export interface GroupJob {
  /** Version of the producer's code; a worker with another one refuses. */
  readonly program: string;
  readonly commit: string;
  readonly cells: readonly CellJob[];
}

export interface CellJob {
  readonly task: Task;
  /** The checksum of its history, which the worker finds or makes. */
  readonly history: string;
  /** Version of the checker's code. */
  readonly code: string;
  /** The hosts that it need not run on, because the producer has a row from there. */
  readonly known: readonly string[];
}

/**
 * Report of a worker on a group so far. It grows with every cell, and the last report of an attempt has all of them.
 */
export interface GroupReport {
  /** Number of this start of the group, from 1. A group starts again when its worker was lost. */
  readonly attempt: number;
  readonly host: string;
  readonly cells: readonly CellReport[];
}

export interface CellReport {
  readonly cell: number;
  /** Null where the producer knows the row from that host. */
  readonly row: ResultRow | null;
}

/**
 * Reason why a job is no group of isolab's; null if it is one. Another program, or another release, may write there,
 * too.
 */
export function whyNoGroup(data: unknown): string | null {
  const { program, commit, cells } = membersOf(data);
  if (typeof program !== 'string' || typeof commit !== 'string' || !Array.isArray(cells))
    return `found ${shortened(data)}, expected a group of cells, with the program and the commit of its producer`;
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

/** Value as JSON, shortened for a message. */
export const shortened = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
};

const LONGEST_TEXT = 80;

/** Refusal by a machine that cannot run a group; it is the reason for which the worker lets the group fail. */
export interface Refusal {
  /** The worker, as Redis knows it. */
  readonly worker: string;
  readonly why: string;
}

export const refusalText = ({ worker, why }: Refusal): string => `refused by ${worker}: ${why}`;

export function refusalIn(reason: string): Refusal | null {
  const [, worker, why] = /^refused by (\S+): (.*)$/s.exec(reason) ?? [];
  return worker === undefined || why === undefined ? null : { worker, why };
}

/** Returns whether data from the queue is a report; another program may write there, too. */
export function isReport(value: unknown): value is GroupReport {
  const { attempt, host, cells } = membersOf(value);
  return Number.isSafeInteger(attempt) && typeof host === 'string' && Array.isArray(cells) && cells.every(isCellReport);
}

function isCellReport(value: unknown): boolean {
  const { cell, row } = membersOf(value);
  return Number.isSafeInteger(cell) && (cell as number) >= 0 && (row === null || whyNoRow(row) === null);
}

/** Reports to keep of an earlier attempt: all of them from the same kind of host, otherwise none. */
export const keptOf = (earlier: unknown, host: string): readonly CellReport[] =>
  isReport(earlier) && earlier.host === host ? earlier.cells : [];
