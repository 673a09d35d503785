import { KNOWN_LEVELS, MISLEADING_NAMES } from 'isolab/skin';
import type { ListFlags } from './list-flags.ts';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, table, toJson } from '../terminal/print.ts';

/** Prints every level, the levels that it implies, and its other names. */
export function list(_names: readonly string[], { output }: ListFlags, printer: Printer): number {
  if (output === 'json') {
    printer.out(toJson({ levels: KNOWN_LEVELS, misleadingNames: MISLEADING_NAMES }));
    return ExitCode.Satisfied;
  }
  const { style } = printer;
  for (const { name, summary, implies, aliases } of KNOWN_LEVELS) {
    const also = aliases.length > 0 ? style.dim(` (${aliases.join(', ')})`) : '';
    printer.out(
      `${style.bold(name)}${also}\n  ${summary}${implies.length > 0 ? `\n  ${style.dim(`implies ${implies.join(', ')}`)}` : ''}`,
    );
  }
  printer.out(`\nMisleading names:\n${table(MISLEADING_NAMES.map(({ name, warning }) => [name, warning]))}`);
  return ExitCode.Satisfied;
}
