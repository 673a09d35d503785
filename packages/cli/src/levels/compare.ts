import { printNotation } from '@isolab/formats';
import type { History } from '@isolab/history';
import { EXHAUSTIVE, RANDOM, compareLevels } from '@isolab/lattice';
import type { Level } from '@isolab/levels';
import { ExitCode } from '../exit.ts';
import { type Printer, toJson } from '../print.ts';
import { levelOrFile } from './asked.ts';

/** `isolab levels compare A B`: a smallest history that one level allows and the other one forbids, both ways. */
export function compareTwo(words: readonly [string, string], output: string, printer: Printer): number {
  const [first, second] = words.map((word) => levelOrFile(word).level) as [Level, Level];
  const { onlyFirst, onlySecond, searched } = compareLevels(first, second);
  if (output === 'json') {
    const text = (history: History | null): string | null => history && printNotation(history).trim();
    printer.out(
      toJson({
        levels: [first.name, second.name],
        onlyFirst: text(onlyFirst),
        onlySecond: text(onlySecond),
        searched: { ...searched, exhaustive: EXHAUSTIVE, atRandom: RANDOM },
      }),
    );
    return ExitCode.Satisfied;
  }
  const isWhole = onlyFirst === null || onlySecond === null;
  printer.out(oneWay(first, second, onlyFirst, printer));
  printer.out(`\n${oneWay(second, first, onlySecond, printer)}`);
  if (isWhole)
    printer.out(
      `\nNot found is no proof. Looked at: ${searched.listed} histories that tell levels apart, ${searched.all} small ones (all of up to ${EXHAUSTIVE.transactions} transactions of ${EXHAUSTIVE.operations} operations on ${EXHAUSTIVE.keys} keys), and ${searched.random} random ones (up to ${RANDOM.transactions} transactions of ${RANDOM.operations} operations on ${RANDOM.keys} keys).`,
    );
  return ExitCode.Satisfied;
}

function oneWay(strong: Level, weak: Level, history: History | null, { style }: Printer): string {
  const isStated = strong.implies.includes(weak.name);
  if (history === null) {
    const why = isStated ? 'as its file states' : 'as far as was searched';
    return `${style.bold(strong.name)} implies ${style.bold(weak.name)}, ${why}: no history was found that satisfies it and violates ${weak.name}.`;
  }
  const lines = printNotation(history).trim().split('\n');
  return [
    `${style.bold(strong.name)} does not imply ${style.bold(weak.name)}. This history satisfies ${strong.name} and violates ${weak.name}, one session a line:`,
    '',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}
