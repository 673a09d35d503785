import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { explainSystemError, printNotation, PUBLIC, writeFileTo } from 'isolab/formats';
import { drawSvg, type History, type Story, story } from 'isolab';
import { visibleLine } from 'isolab/skin';
import { check, findLevel } from 'isolab/check';
import { compareLevels, EXHAUSTIVE, type LevelDefinition, RANDOM, searchInWords } from 'isolab/levels';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { insistOnTarget } from '../terminal/targets.ts';
import { levelOrFile } from './asked.ts';

export interface LevelsFlags {
  readonly out?: string;
  readonly output: string;
}

/** A history that satisfies one level and violates the other, with its story if a checker explains it. */
export interface Difference {
  readonly strong: LevelDefinition;
  readonly weak: LevelDefinition;
  readonly history: History | null;
  readonly told: Story | null;
}

/**
 * `isolab levels compare A B`: finds a smallest history that one level allows and the other forbids, in both
 * directions.
 */
export async function compareTwo(
  words: readonly [string, string],
  { out, output }: LevelsFlags,
  printer: Printer,
): Promise<number> {
  const [first, second] = words.map((word) => levelOrFile(word).level) as [LevelDefinition, LevelDefinition];
  const { onlyFirst, onlySecond, searched } = compareLevels(first, second);
  const both = [await difference(first, second, onlyFirst), await difference(second, first, onlySecond)];
  const files = out === undefined ? [] : await draw(both, out);
  if (output === 'json') {
    printer.out(
      toJson({
        levels: [first.name, second.name],
        onlyFirst: textOf(onlyFirst),
        onlySecond: textOf(onlySecond),
        searched: { ...searched, exhaustive: EXHAUSTIVE, atRandom: RANDOM },
        files,
      }),
    );
    return ExitCode.Satisfied;
  }
  printer.out(both.map((each) => oneWay(each, printer)).join('\n\n'));
  if (onlyFirst === null || onlySecond === null) printer.out(`\n${searchInWords(searched)}`);
  for (const file of files) printer.note(`Drawn: ${file}`);
  return ExitCode.Satisfied;
}

export const textOf = (history: History | null): string | null => history && printNotation(history).trim();

export async function difference(
  strong: LevelDefinition,
  weak: LevelDefinition,
  history: History | null,
): Promise<Difference> {
  const isKnown = findLevel(weak.name) !== null;
  const result = history && isKnown ? await check(history, { level: weak.name }) : null;
  const told = history && result?.verdict === 'violated' ? await story(history, result) : null;
  return { strong, weak, history, told };
}

export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`${visibleLine(folder)}: ${explainSystemError(error as NodeJS.ErrnoException)}`);
  }
}

/** Writes the pictures of differences that a checker explains, and returns lines with their locations. */
export async function draw(both: readonly Difference[], folder: string): Promise<string[]> {
  makeFolder(folder);
  const files: string[] = [];
  for (const { strong, weak, told } of both) {
    if (told === null) continue;
    const file = join(folder, `${strong.name}-not-${weak.name}.svg`);
    insistOnTarget(file, { inputs: [] });
    await writeFileTo(file, drawSvg(told), { mode: PUBLIC });
    files.push(file);
  }
  return files;
}

export function oneWay({ strong, weak, history, told }: Difference, { style }: Printer): string {
  if (history === null) {
    const why = strong.implies.includes(weak.name) ? 'as its file states' : 'as far as the search went';
    return `${style.bold(strong.name)} implies ${style.bold(weak.name)}, ${why}: no history was found that satisfies it and violates ${weak.name}.`;
  }
  const lines = textOf(history)!.split('\n');
  return [
    `${style.bold(strong.name)} does not imply ${style.bold(weak.name)}. This history, one session per line, satisfies ${strong.name} and violates ${weak.name}${told ? ` (${told.title})` : ''}:`,
    '',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}
