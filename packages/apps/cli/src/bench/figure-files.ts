/** `isolab bench report EXPERIMENT…`: single figures as files. */
import { PUBLIC, writeFileTo } from 'isolab/formats';
import { didYouMean, visibleLine } from 'isolab/skin';
import { extname, join, resolve } from 'node:path';
import { statSync } from 'node:fs';
import {
  BenchError,
  type ExperimentFile,
  FIGURE_FORMATS,
  type FigureFormat,
  type ResultRow,
  type Scale,
  exportFigure,
} from '@isolab/experiments';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { insistOnTarget } from '../terminal/targets.ts';
import { wholeNumber } from '../terminal/words.ts';

export interface FigureFlags {
  readonly rows: readonly ResultRow[];
  readonly scale: Scale;
  readonly to?: string;
  readonly out?: string;
  readonly width?: string;
  readonly force?: boolean;
  readonly output: string;
}

/** Writes the available figures; the exit code is 2 if some are missing. Fails if all are missing. */
export async function writeFigures(
  chosen: readonly ExperimentFile[],
  flags: FigureFlags,
  printer: Printer,
): Promise<number> {
  const { rows, scale, to, out, force, output } = flags;
  const format = formatNamed(to ?? formatOf(out) ?? 'pdf');
  const width = wholeNumber('--width', flags.width ?? COLUMN);
  if (width < NARROWEST) throw new UsageError(`--width must be at least ${NARROWEST} points, not ${width}.`);
  const pathOf = placesFor(chosen, format, out);
  const files: string[] = [];
  const missing: string[] = [];
  for (const experiment of chosen) {
    const figure = await exportFigure(experiment, { rows, scale, format, width });
    if ('missing' in figure) missing.push(figure.missing);
    else {
      const path = pathOf(experiment);
      insistOnTarget(path, { inputs: [], force });
      await writeFileTo(path, figure.content, { isDurable: false, mode: PUBLIC });
      files.push(path);
      if (output !== 'json') printer.out(`${visibleLine(path)}: ${visibleLine(experiment.title)}`);
    }
  }
  if (files.length === 0) throw new BenchError(`${missing.join('.\n')}.`);
  if (output === 'json') printer.out(toJson({ files, missing }));
  else for (const each of missing) printer.note(`${visibleLine(each)}.`);
  return missing.length > 0 ? ExitCode.Unknown : ExitCode.Satisfied;
}

/** Width of one column of a two-column paper, in points. */
const COLUMN = '241';

/** A narrower figure has no room for a plot beside its numbers. */
const NARROWEST = 180;

/** Format by file ending. */
const formatOf = (out: string | undefined): string | undefined =>
  FIGURE_FORMATS.find((format) => out?.endsWith(`.${format}`));

function formatNamed(word: string): FigureFormat {
  const format = FIGURE_FORMATS.find((name) => name === word);
  if (format !== undefined) return format;
  throw new UsageError(
    `There is no format ${word}; ${didYouMean(word, FIGURE_FORMATS)}--to accepts ${FIGURE_FORMATS.join(', ')}.`,
  );
}

/** File of an experiment: the named file, or a file in the named folder. A name without an ending is that of a folder. */
function placesFor(
  chosen: readonly ExperimentFile[],
  format: FigureFormat,
  out: string = '.',
): (experiment: ExperimentFile) => string {
  const there = statSync(out, { throwIfNoEntry: false });
  const isFolder = out.endsWith('/') || (there === undefined ? extname(out) === '' : there.isDirectory());
  if (isFolder) {
    if (there === undefined) throw new UsageError(`There is no folder ${resolve(out)}.`);
    return ({ id }) => join(out, `${id.replaceAll('/', '-')}.${format}`);
  }
  if (chosen.length > 1)
    throw new UsageError(`${chosen.length} figures do not fit in one file; expected --out FOLDER, not ${out}.`);
  return () => out;
}
