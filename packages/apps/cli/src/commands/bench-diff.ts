import { visibleLine } from 'isolab/skin';
import { existsSync } from 'node:fs';
import { type Differences, diffResults, readRows } from '@isolab/experiments';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { wholeNumber } from '../terminal/words.ts';
import { type CommandFlags, type CommandModule, option } from '../terminal/options.ts';

const OPTIONS = [
  option('--tolerance <percent>', 'rank times as equal if they differ by less than PERCENT', '25'),
] as const;
export type BenchDiffFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab bench diff before.jsonl after.jsonl', 'isolab bench diff before.jsonl after.jsonl --output json'],
  options: OPTIONS,
  run: benchDiff,
};

/** `isolab bench diff`: compares the results of two runs of the same experiments. */
export function benchDiff(first: string, second: string, flags: BenchDiffFlags, printer: Printer): number {
  const percent = wholeNumber('--tolerance', flags.tolerance);
  for (const path of [first, second])
    if (!existsSync(path)) throw new UsageError(`There is no file ${path}; isolab bench --out FILE writes one.`);
  const differences = diffResults(readRows(first), readRows(second), percent / 100);
  if (differences.cells === 0) throw new UsageError(`${first} and ${second} have no cells in common.`);
  if (flags.output === 'json') printer.out(toJson(differences));
  else tell(differences, percent, printer);
  return KINDS.every((kind) => differences[kind].length === 0) ? ExitCode.Satisfied : ExitCode.Failed;
}

function tell(differences: Differences, percent: number, printer: Printer): void {
  const { cells, onlyInFirst, onlyInSecond, pairs, withinNoise } = differences;
  const alone =
    onlyInFirst + onlyInSecond === 0 ? '' : `; ${onlyInFirst} only in the first, ${onlyInSecond} only in the second`;
  printer.out(`${count(cells, 'cell')} in both${alone}`);
  for (const what of KINDS) {
    const found = differences[what];
    printer.out(`${what.padEnd(10)} ${found.length === 0 ? 'the same' : printer.style.red(`${found.length} differ`)}`);
    for (const each of found.slice(0, SHOWN)) printer.out(`  ${visibleLine(each)}`);
    if (found.length > SHOWN) printer.out(`  … and ${found.length - SHOWN} more; --output json has all of them`);
  }
  printer.out(
    `${withinNoise} of ${count(pairs, 'pair')} of series changed order by less than ${percent} % or a few milliseconds.`,
  );
}

const KINDS = ['histories', 'verdicts', 'limits', 'counts', 'rankings'] as const;
const SHOWN = 10;
