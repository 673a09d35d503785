import { KNOWN_LEVELS, MISLEADING_NAMES } from '@isolab/contract';
import { printAxiom } from '@isolab/levels';
import { ExitCode, UsageError } from '../exit.ts';
import { levelOrFile } from '../levels/asked.ts';
import { type LevelsFlags, compareTwo } from '../levels/compare.ts';
import { type Printer, table, toJson } from '../print.ts';
import { type CommandModule, option } from '../options.ts';

export const command: CommandModule = {
  examples: ['isolab levels show parallel-snapshot-isolation', 'isolab levels compare causal ./my-level.lvl'],
  options: [
    option('--svg <folder>', 'draw the histories of a comparison into this folder, as far as a checker explains them'),
  ],
  run: levels,
};

/** `isolab levels`: every level, what it implies, and the names it goes by; or one or two of them. */
export async function levels(
  action: string | undefined,
  words: readonly string[],
  flags: LevelsFlags,
  printer: Printer,
): Promise<number> {
  const { svg, output } = flags;
  if (svg !== undefined && action !== 'compare')
    throw new UsageError('--svg draws what isolab levels compare found; nothing is drawn without it.');
  if (action === undefined) return list(output, printer);
  if (action === 'show') return show(words, output, printer);
  if (action !== 'compare')
    throw new UsageError(`isolab levels has no ${action}; expected show LEVEL, compare LEVEL LEVEL, or nothing.`);
  const [first, second, ...rest] = words;
  if (first === undefined || second === undefined || rest.length > 0)
    throw new UsageError(`isolab levels compare takes two levels, not ${words.length}.`);
  return compareTwo([first, second], flags, printer);
}

function list(output: string, printer: Printer): number {
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
  printer.out(`\nNames that mislead:\n${table(MISLEADING_NAMES.map(({ name, warning }) => [name, warning]))}`);
  return ExitCode.Satisfied;
}

/** The file of a level, and all axioms with those of the levels that it includes. */
function show(words: readonly string[], output: string, printer: Printer): number {
  const [word, ...rest] = words;
  if (word === undefined || rest.length > 0)
    throw new UsageError(`isolab levels show takes one level, not ${words.length}.`);
  const { level, text } = levelOrFile(word);
  const axioms = level.axioms.map(printAxiom);
  if (output === 'json')
    printer.out(toJson({ ...level, axioms, eachKeySatisfies: level.eachKeySatisfies?.name ?? null, text }));
  else printer.out(text.trimEnd());
  return ExitCode.Satisfied;
}
