/** Fault schedules as JSON; schema/faults.schema.json describes the format as well. */
import { CollectorError } from '../database/errors.ts';
import { FAULT_KINDS, type ScheduledFault, type ScheduledFaults, isFaultKind } from './schedule.ts';

/** Parses a schedule file, or fails with the problem in it. */
export function parseFaultSchedule(text: string, path: string): ScheduledFaults {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new CollectorError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
  const { isolab, version, faults } = fieldsOf(data, ['$schema', 'isolab', 'version', 'faults'], path);
  if (isolab !== 'fault schedule' || version !== 1)
    throw new CollectorError(
      `${path} is not a fault schedule; expected {"isolab":"fault schedule","version":1,"faults":[…]}.`,
    );
  if (!Array.isArray(faults) || faults.length === 0)
    throw new CollectorError(`${path}: faults is ${shown(faults)}, expected a list of at least one fault.`);
  return scheduled(
    faults.map((fault, index) => faultIn(fault, `${path}: faults[${index}]`)),
    path,
  );
}

/** A fault as a history records it. */
interface PastFault {
  readonly kind: string;
  readonly node?: number;
  readonly delayMs?: number;
  readonly lastsMs?: number;
  readonly begin: bigint;
  readonly end: bigint | null;
}

/** Returns a schedule that repeats the faults of a history. */
export function scheduleOfHistory(recorded: readonly PastFault[], path: string): ScheduledFaults {
  if (recorded.length === 0)
    throw new CollectorError(
      `${path} has no faults. Give kinds of faults, a history with faults, or a schedule, a file that ends in .json.`,
    );
  return scheduled(
    recorded.map(({ kind, node, delayMs, lastsMs, begin, end }) => {
      if (!isFaultKind(kind)) throw new CollectorError(`${path} has the fault ${kind}, which cannot be repeated.`);
      return {
        kind,
        ...(node !== undefined && { node }),
        ...(delayMs !== undefined && { delayMs }),
        atMs: milliseconds(begin),
        lastsMs: lastsMs ?? (end === null ? 0 : milliseconds(end - begin)),
      };
    }),
    path,
  );
}

const milliseconds = (nanoseconds: bigint): number => Math.max(0, Math.round(Number(nanoseconds) / 1e6));

function scheduled(schedule: readonly ScheduledFault[], path: string): ScheduledFaults {
  for (const [index, { kind, atMs }] of schedule.entries()) {
    const before = schedule[index - 1];
    if (before && atMs < before.atMs + before.lastsMs)
      throw new CollectorError(
        `${path}: fault ${index + 1}, ${kind}, begins at ${atMs} ms, before the previous fault ends at ${before.atMs + before.lastsMs} ms; expected faults that do not overlap.`,
      );
  }
  return { kinds: [...new Set(schedule.map(({ kind }) => kind))], schedule };
}

function faultIn(data: unknown, where: string): ScheduledFault {
  const fault = fieldsOf(data, ['kind', 'node', 'atMs', 'lastsMs', 'delayMs'], where);
  const kind = fault['kind'];
  if (typeof kind !== 'string' || !isFaultKind(kind))
    throw new CollectorError(
      `${where}.kind is ${shown(kind)}, expected one of ${Object.keys(FAULT_KINDS).join(', ')}.`,
    );
  const whole = (name: string, least: number): number => {
    const value = fault[name];
    if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
    throw new CollectorError(`${where}.${name} is ${shown(value)}, expected a whole number of at least ${least}.`);
  };
  const absent = (name: string): void => {
    if (fault[name] !== undefined) throw new CollectorError(`${where}.${name} does not apply to ${kind}.`);
  };
  const isDelayed = kind === 'delay' || kind === 'think';
  if (kind === 'think') absent('node');
  if (!isDelayed) absent('delayMs');
  return {
    kind,
    ...(fault['node'] !== undefined && { node: whole('node', 0) }),
    atMs: whole('atMs', 0),
    lastsMs: whole('lastsMs', 0),
    ...(isDelayed && { delayMs: whole('delayMs', 1) }),
  };
}

function fieldsOf(data: unknown, known: readonly string[], where: string): Readonly<Record<string, unknown>> {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new CollectorError(`${where} is ${shown(data)}, expected an object.`);
  const other = Object.keys(data).find((name) => !known.includes(name));
  if (other !== undefined)
    throw new CollectorError(`${where} has the field ${shown(other)}, expected ${known.join(', ')}.`);
  return data as Readonly<Record<string, unknown>>;
}

const shown = (value: unknown): string =>
  value === undefined ? 'missing' : JSON.stringify(value).slice(0, MOST_SHOWN);
const MOST_SHOWN = 60;
