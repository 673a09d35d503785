import { KNOWN_LEVELS, MISLEADING_NAMES, printAxiom } from 'isolab/levels';
import { ExitCode, UsageError } from '../exit.ts';
import { levelOrFile } from '../levels/asked.ts';
import { type LevelsFlags, compareTwo } from '../levels/compare.ts';
import { placeOne } from '../levels/place.ts';
import { type Printer, table, toJson } from '../print.ts';
import { type CommandModule, option } from '../options.ts';

export const command: CommandModule = {
  examples: ['isolab levels compare causal ./my-level.lvl', 'isolab levels place ./my-level.lvl --svg drawn'],
  options: [
    option(
      '--svg <folder>',
      'draw what compare and place found into this folder: histories, as far as a checker explains them, and the lattice',
    ),
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
  if (svg !== undefined && action !== 'compare' && action !== 'place')
    throw new UsageError('--svg draws what isolab levels compare or place found; nothing is drawn without them.');
  if (action === undefined || (action === 'list' && words.length === 0)) return list(output, printer);
  if (action === 'show') return show(words, output, printer);
  if (action === 'place') return placeOne(one(action, words), flags, printer);
  if (action !== 'compare') throw new UsageError(`isolab levels has no ${action}; expected ${ACTIONS}, or nothing.`);
  const [first, second, ...rest] = words;
  if (first === undefined || second === undefined || rest.length > 0)
    throw new UsageError(`isolab levels compare takes two levels, not ${words.length}.`);
  return compareTwo([first, second], flags, printer);
}

const ACTIONS = 'show LEVEL, compare LEVEL LEVEL, place LEVEL';

function one(action: string, [word, ...rest]: readonly string[]): string {
  if (word !== undefined && rest.length === 0) return word;
  throw new UsageError(`isolab levels ${action} takes one level, not ${rest.length + (word === undefined ? 0 : 1)}.`);
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
  const { level, text } = levelOrFile(one('show', words));
  const axioms = level.axioms.map(printAxiom);
  if (output === 'json')
    printer.out(toJson({ ...level, axioms, eachKeySatisfies: level.eachKeySatisfies?.name ?? null, text }));
  else printer.out(text.trimEnd());
  return ExitCode.Satisfied;
}
