import { explainable, explained } from 'isolab/levels';
import type { ListFlags } from './list-flags.ts';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, table, toJson } from '../terminal/print.ts';

/** Prints every anomaly with its meaning and its other names; `isolab explain` has the rest. */
export function list(_names: readonly string[], { output }: ListFlags, printer: Printer): number {
  const anomalies = explainable()
    .map((name) => explained(name)!)
    .filter(({ kind }) => kind === 'anomaly')
    .map(({ name, title, aliases, levels }) => ({ name, title, aliases, levels }));
  printer.out(
    output === 'json'
      ? toJson({ anomalies })
      : table(
          anomalies.map(({ name, title, aliases }) => [
            name,
            aliases.length === 0 ? title : `${title} (${aliases.join(', ')})`,
          ]),
        ),
  );
  return ExitCode.Satisfied;
}
