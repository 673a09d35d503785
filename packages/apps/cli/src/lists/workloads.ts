import { FAULTS, LIGHTWEIGHT_PARAMETERS, type Parameter, SIMULATED_LEVELS, WORKLOADS } from '@isolab/workloads';
import { ExitCode } from '../terminal/exit.ts';
import type { ListFlags } from './list-flags.ts';
import { type Printer, table, toJson } from '../terminal/print.ts';

/** Prints the workloads with their parameters, and the levels and faults of the simulated database. */
export function list(_names: readonly string[], { output }: ListFlags, printer: Printer): number {
  if (output === 'json') {
    const listed = WORKLOADS.map(({ name, title, source, data, parameters }) => ({
      name,
      title,
      source,
      data,
      parameters,
    }));
    printer.out(toJson({ workloads: listed, levels: Object.keys(SIMULATED_LEVELS), faults: FAULTS }));
    return ExitCode.Satisfied;
  }
  const { bold, dim } = printer.style;
  const lightweight = {
    name: 'lightweight',
    title: 'compare-and-sets with times, linearizable unless a fault is injected; generated without a database',
    source: 'MTC',
    parameters: LIGHTWEIGHT_PARAMETERS,
  };
  for (const { name, title, source, parameters } of [...WORKLOADS, lightweight]) {
    printer.out(`${bold(name)}  ${title}\n${dim(`  ${source}`)}`);
    const rows = Object.entries<Parameter>(parameters).map(([parameter, { default: value, help, choices }]) => [
      `--set ${parameter}=${value}`,
      choices ? `${help} (${choices.join(', ')})` : help,
    ]);
    printer.out(table(rows));
  }
  printer.out(`\nThe simulated database runs at ${Object.keys(SIMULATED_LEVELS).join(', ')}, with these faults:`);
  const faults = Object.entries(FAULTS).map(([name, { title, at, breaks }]) => [
    `--faults ${name}=0.05`,
    title,
    `--level ${at} breaks ${breaks.join(', ')}`,
  ]);
  printer.out(table(faults));
  return ExitCode.Satisfied;
}
