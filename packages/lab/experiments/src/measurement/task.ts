/** A cell with all inputs of its measurement; plain data, which can be sent to another machine. */
import type { Cell } from './cells.ts';
import type { Scale } from '../experiment/experiment.ts';
import type { Limits } from './run-cell.ts';
import { sha256OfText } from '../experiment/checksum.ts';

export interface Task extends Omit<Cell, 'experiment'> {
  readonly experiment: string;
  readonly scale: Scale;
  readonly limits: Limits;
  /** Requests certificates and verifies them. */
  readonly verify: boolean;
  /** Number of cells that may run at the same time. */
  readonly jobs: number;
}

export interface TaskOptions {
  readonly scale: Scale;
  readonly verify: boolean;
  readonly jobs: number;
  /** Replaces the experiments' own limits if smaller. */
  readonly limits?: Partial<Limits> | undefined;
}

export function taskOf({ experiment, ...cell }: Cell, { limits: asked, ...options }: TaskOptions): Task {
  const { seconds, megabytes } = experiment.limits[options.scale];
  const limits = {
    seconds: Math.min(seconds, asked?.seconds ?? seconds),
    megabytes: Math.min(megabytes, asked?.megabytes ?? megabytes),
  };
  return { ...cell, ...options, experiment: experiment.id, limits };
}

/** Conditions other than the code that affect times; rows of one host are comparable. */
export interface Host {
  /** Class of the machine, not its name. */
  readonly machine: string;
  readonly node: string;
}

/**
 * Cache key of a task's result, a hash of all its inputs: `code` is the version of its checker, `history` a checksum.
 */
export const keyOfTask = (task: Task, history: string, code: string, { machine, node }: Host): string => {
  const { series, limits, verify, jobs, repeat } = task;
  const decisive = {
    ...checkerOf(task),
    history,
    code,
    options: series.options ?? {},
    ...(series.findAll === true && { findAll: true }),
    ...(series.levels !== undefined && { levels: series.levels }),
    limits,
    verify,
    machine,
    node,
    jobs,
    repeat,
  };
  return sha256OfText(stable(decisive)).slice(0, 32);
};

/** Place of a task's row in its experiment. */
export const slotOf = ({ experiment, series, x, repeat }: Task) => ({ experiment, series: series.name, x, repeat });

export const checkerOf = ({ series, level }: Task) => ({
  checker: series.checker,
  variant: series.variant ?? null,
  level,
});

/** JSON with the fields in the order of their names. */
const stable = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
