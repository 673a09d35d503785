import { LEVELS, MISLEADING_NAMES } from '@isolab/contract';
import { ExitCode } from '../exit.ts';
import { type Printer, table, toJson } from '../print.ts';
import type { CommandModule } from '../options.ts';

export const command: CommandModule = {
  usage: 'levels',
  summary: 'list the isolation levels',
  examples: ['isolab levels', 'isolab levels --output json'],
  options: [],
  run: levels,
};

/** `isolab levels`: every level, what it implies, and the names it goes by. */
export function levels({ output }: { readonly output: string }, printer: Printer): number {
  if (output === 'json') {
    printer.out(toJson({ levels: LEVELS, misleadingNames: MISLEADING_NAMES }));
    return ExitCode.Satisfied;
  }
  const { style } = printer;
  for (const { name, summary, implies, aliases } of LEVELS) {
    const also = aliases.length > 0 ? style.dim(` (${aliases.join(', ')})`) : '';
    printer.out(
      `${style.bold(name)}${also}\n  ${summary}${implies.length > 0 ? `\n  ${style.dim(`implies ${implies.join(', ')}`)}` : ''}`,
    );
  }
  printer.out(`\nNames that mislead:\n${table(MISLEADING_NAMES.map(({ name, warning }) => [name, warning]))}`);
  return ExitCode.Satisfied;
}
