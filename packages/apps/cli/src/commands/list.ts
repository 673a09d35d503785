import { didYouMean } from 'isolab/skin';
import { type ListFlags, OPTIONS } from '../lists/list-flags.ts';
import { UsageError } from '../terminal/exit.ts';
import type { CommandModule } from '../terminal/options.ts';
import type { Printer } from '../terminal/print.ts';

type List = (names: readonly string[], flags: ListFlags, printer: Printer) => number | Promise<number>;

const KINDS: Readonly<Record<string, () => Promise<{ readonly list: List }>>> = {
  anomalies: () => import('../lists/anomalies.ts'),
  checkers: () => import('../lists/checkers.ts'),
  claims: () => import('../lists/claims.ts'),
  datasets: () => import('../lists/datasets.ts'),
  engines: () => import('../lists/engines.ts'),
  experiments: () => import('../lists/experiments.ts'),
  formats: () => import('../lists/formats.ts'),
  levels: () => import('../lists/levels.ts'),
  tools: () => import('../lists/tools.ts'),
  workloads: () => import('../lists/workloads.ts'),
};
/** Kinds whose entries have details. */
const NAMED = ['claims', 'datasets', 'engines', 'tools'];

export const command: CommandModule = {
  examples: ['isolab list checkers', 'isolab list claims polysi'],
  options: OPTIONS,
  run: list,
};

/** `isolab list KIND`: lists the parts of isolab that the command line accepts by name. */
export async function list(
  kind: string,
  names: readonly string[],
  flags: ListFlags,
  printer: Printer,
): Promise<number> {
  const known = Object.keys(KINDS);
  if (!known.includes(kind))
    throw new UsageError(
      `isolab list has no kind ${kind}; ${didYouMean(kind, known)}expected one of ${known.join(', ')}.`,
    );
  if (names.length > 0 && !NAMED.includes(kind)) throw new UsageError(`isolab list ${kind} accepts no names.`);
  return (await KINDS[kind]!()).list(names, flags, printer);
}
