import type { LimitOptions } from 'isolab/check';
import type { ALLOWANCES, FlagsIn, LIMITS } from './options.ts';
import { UsageError } from './exit.ts';

export type LimitFlags = FlagsIn<typeof LIMITS | typeof ALLOWANCES>;

/** Converts the flags of limits to options of the library, which use them to choose where a checker runs. */
export function limitsOf(flags: LimitFlags): LimitOptions {
  const { time, memory, steps, place, allowVacuous = false, allowCutOff = false } = flags;
  if (place !== undefined && place !== 'thread' && place !== 'worker' && place !== 'process')
    throw new UsageError(`--place must be thread, worker or process, not ${place}.`);
  return {
    ...(time !== undefined && { timeMs: parseTime(time) }),
    ...(memory !== undefined && { memoryBytes: parseMemory(memory) }),
    ...(steps !== undefined && { steps: parseSteps(steps) }),
    ...(place !== undefined && { place }),
    allowVacuous,
    allowCutOff,
  };
}

export function parseTime(text: string, option = '--time'): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`${option} needs a time such as 500ms, 60s or 10m, not ${text}.`);
  return Number(number) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'ms'];
}

/** Parses a duration; zero is a mistake. */
export function parseDuration(text: string, option: string): number {
  const ms = parseTime(text, option);
  if (ms === 0) throw new UsageError(`${option} is ${text}; expected a longer time, such as 60s, 10m or 2h.`);
  return ms;
}

export function parseMemory(text: string, option = '--memory'): number {
  const [, number, unit = 'MB'] = /^(\d+(?:\.\d+)?)(kB|MB|GB|TB)?$/i.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`${option} needs a size such as 500MB or 4GB, not ${text}.`);
  return Number(number) * { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }[unit.toUpperCase() as 'KB'];
}

function parseSteps(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--steps needs a whole number, not ${text}.`);
  return Number(text);
}
