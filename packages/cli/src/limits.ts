import type { Budget } from '@isolab/contract';
import type { RunOptions } from '@isolab/runner';
import { UsageError } from './exit.ts';

/** The options of all commands that run checkers. */
export interface LimitFlags {
  readonly time?: string;
  readonly memory?: string;
  readonly steps?: string;
  readonly place?: string;
  readonly allowVacuous?: boolean;
  readonly allowCutOff?: boolean;
}

/**
 * Where a checker runs and what it may spend. Limits hold even against a checker that never looks at them, so a time
 * limit asks for a thread of its own and a memory limit for a process of its own. Plug-ins run in a process of their own
 * anyway, unless the user names another place.
 */
export function runOptions({
  time,
  memory,
  steps,
  place,
  allowVacuous = false,
  allowCutOff = false,
}: LimitFlags): RunOptions {
  const budget: Budget = {
    ...(time !== undefined && { timeMs: parseTime(time) }),
    ...(memory !== undefined && { memoryBytes: parseMemory(memory) }),
    ...(steps !== undefined && { steps: parseSteps(steps) }),
  };
  const needed = memory !== undefined ? 'process' : time !== undefined ? 'worker' : 'thread';
  const chosen = place ?? needed;
  if (chosen !== 'thread' && chosen !== 'worker' && chosen !== 'process') {
    throw new UsageError(`--place is thread, worker or process, not ${chosen}.`);
  }
  return { budget, place: chosen, allowVacuous, allowCutOff, ...(place !== undefined && { pluginPlace: chosen }) };
}

export function parseTime(text: string, option = '--time'): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`${option} takes a time such as 500ms, 60s or 10m, not ${text}.`);
  return Number(number) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit as 'ms'];
}

function parseMemory(text: string): number {
  const [, number, unit = 'MB'] = /^(\d+(?:\.\d+)?)(kB|MB|GB)?$/i.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`--memory takes a size such as 500MB or 4GB, not ${text}.`);
  return Number(number) * { KB: 1e3, MB: 1e6, GB: 1e9 }[unit.toUpperCase() as 'KB'];
}

function parseSteps(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--steps takes a whole number, not ${text}.`);
  return Number(text);
}
