import { printAxiom } from 'isolab/levels';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { levelOrFile } from '../levels/asked.ts';
import { type LevelsFlags, compareTwo } from '../levels/compare.ts';
import { placeOne } from '../levels/place.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { type CommandModule, OUT_FOLDER } from '../terminal/options.ts';

const OPTIONS = [OUT_FOLDER('draw the results of compare and place into FOLDER')] as const;

export const command: CommandModule = {
  examples: ['isolab levels compare causal ./my-level.lvl', 'isolab levels place ./my-level.lvl --out drawn'],
  options: OPTIONS,
  run: levels,
};

/**
 * `isolab levels show|compare|place`: prints the definition of a level, its differences from another, or its place in
 * the lattice.
 */
export async function levels(
  action: string,
  words: readonly string[],
  flags: LevelsFlags,
  printer: Printer,
): Promise<number> {
  if (flags.out !== undefined && action === 'show')
    throw new UsageError('--out draws only the results of isolab levels compare and isolab levels place.');
  if (action === 'show') return show(words, flags.output, printer);
  if (action === 'place') return placeOne(one(action, words), flags, printer);
  if (action !== 'compare') throw new UsageError(`isolab levels has no action ${action}; expected ${ACTIONS}.`);
  const [first, second, ...rest] = words;
  if (first === undefined || second === undefined || rest.length > 0)
    throw new UsageError(`isolab levels compare needs two levels, not ${words.length}.`);
  return compareTwo([first, second], flags, printer);
}

const ACTIONS = 'show LEVEL, compare LEVEL LEVEL, place LEVEL';

function one(action: string, [word, ...rest]: readonly string[]): string {
  if (word !== undefined && rest.length === 0) return word;
  throw new UsageError(`isolab levels ${action} needs one level, not ${rest.length + (word === undefined ? 0 : 1)}.`);
}

/** Prints the file of a level, and its axioms, including those of the levels that it includes. */
function show(words: readonly string[], output: string, printer: Printer): number {
  const { level, text } = levelOrFile(one('show', words));
  const axioms = level.axioms.map(printAxiom);
  if (output === 'json')
    printer.out(toJson({ ...level, axioms, eachKeySatisfies: level.eachKeySatisfies?.name ?? null, text }));
  else printer.out(text.trimEnd());
  return ExitCode.Satisfied;
}
