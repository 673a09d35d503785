import { FAULT_KINDS, isFaultKind, parseFaultSchedule, scheduleOfHistory } from '@isolab/collector';
import type { FaultOptions } from 'isolab/skin';
import { faultsOf } from 'isolab/formats';
import { open } from 'isolab/check';
import { readFile } from 'node:fs/promises';
import type { FAULTS, FlagsIn } from '../terminal/options.ts';
import { UsageError } from '../terminal/exit.ts';
import { parseTime } from '../terminal/limits.ts';

type FaultFlags = FlagsIn<typeof FAULTS>;

/** Parses the value of `--faults`: kinds to draw from, or a file; null without the flag. */
export async function faultsAsked({ faults, faultEvery }: FaultFlags): Promise<FaultOptions | null> {
  const everyMs = parseTime(faultEvery, '--fault-every');
  if (everyMs < LEAST_BETWEEN_FAULTS)
    throw new UsageError(`--fault-every is ${faultEvery}; expected at least ${LEAST_BETWEEN_FAULTS} ms.`);
  if (faults === undefined) return null;
  if (/[./]/.test(faults)) return faultsOfFile(faults);
  const kinds = faults.split(',').map((word) => {
    const kind = word.trim();
    if (isFaultKind(kind)) return kind;
    throw new UsageError(
      `There is no fault ${kind}; expected some of ${Object.keys(FAULT_KINDS).join(', ')}, or a file such as faults.json.`,
    );
  });
  return { kinds, everyMs };
}

/** Reads faults from a schedule, or from a history that was collected under faults. */
async function faultsOfFile(path: string): Promise<FaultOptions> {
  if (path.endsWith('.json')) return parseFaultSchedule(await textOf(path), path);
  const opened = await open(path);
  return scheduleOfHistory(opened.kind === 'history' ? faultsOf(opened.history) : [], path);
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`The schedule of faults cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const LEAST_BETWEEN_FAULTS = 50;
