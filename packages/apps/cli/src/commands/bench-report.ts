import { shellPath, visibleLine } from 'isolab/skin';
import { join } from 'node:path';
import {
  type AskedPage,
  type ExperimentFile,
  FIGURES_ABSENT,
  FIGURE_FORMATS,
  type ResultRow,
  type Scale,
  loadExperimentFile,
  loadExperiments,
  localReports,
  readPapers,
  seriesData,
  shownResults,
  writePagesOf,
  writeReports,
} from '@isolab/experiments';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { writeFigures } from '../bench/figure-files.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { areFiles, datasetsOf, experimentsNamed, isFile, rootOf } from '../bench/lab.ts';
import {
  type CommandFlags,
  type CommandModule,
  FORCE,
  PUBLISH,
  ROOT,
  SCALE,
  TO,
  option,
  skip,
} from '../terminal/options.ts';

const OPTIONS = [
  SCALE,
  TO(`write the named figures as files instead of pages: ${FIGURE_FORMATS.join(', ')}`),
  option('--out <path>', 'write the named figures to this file or folder; the working directory if absent'),
  option('--width <points>', 'set the width of a picture; 241, one column, if absent (two columns: 506)'),
  FORCE,
  option('--png', 'require figures of pages as PNG; if absent, made where @resvg/resvg-js is installed'),
  skip('png'),
  PUBLISH,
  ROOT,
] as const;
export type ReportFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab bench report polysi/fig7a', 'isolab bench report polysi/fig7a --scale laptop --to pdf'],
  options: OPTIONS,
  run: report,
};

/**
 * `isolab bench report`: makes pages of the results of a scale, of all experiments or the named ones; or files of some
 * figures.
 */
export async function report(words: readonly string[], flags: ReportFlags, printer: Printer): Promise<number> {
  const isOfFigures = flags.to !== undefined || flags.out !== undefined;
  const named = words.includes('all') && !isOfFigures ? [] : words;
  insistOnSense(named, isOfFigures, flags);
  const { scale } = flags;
  const root = rootOf(named, flags.root);
  const { publish = false } = flags;
  const png = flags.skip.includes('png') ? false : flags.png;
  const reports = join(root, 'reports');
  const { rows, own, replaced } = shownResults(reports, scale, !publish);
  if (isOfFigures) {
    const experiments = asked(named, root, rows).flatMap((page) => page.experiments);
    return writeFigures([...new Set(experiments)], { ...flags, rows, scale }, printer);
  }

  const { datasets } = datasetsOf(root);
  const options = {
    rows,
    ...(!publish && { own, replaced }),
    scale,
    folder: join(publish ? reports : localReports(reports), scale),
    findData: seriesData(datasets.manifest, datasets.archives),
    rowsAt: (each: Scale) => shownResults(reports, each, !publish).rows,
    ...(png !== undefined && { png }),
  };
  const isJson = flags.output === 'json';
  if (named.length > 0) await writeNamed(asked(named, root, rows), options, isJson, printer);
  else await writeAll(join(root, 'benchmarks'), publish, options, isJson, printer);
  return ExitCode.Satisfied;
}

function insistOnSense(named: readonly string[], isOfFigures: boolean, { width, publish }: ReportFlags): void {
  if (isOfFigures && named.length === 0)
    throw new UsageError(
      'Missing the names of figures. Example: isolab bench report polysi/fig7a --to pdf. isolab list experiments lists all names.',
    );
  if (width !== undefined && !isOfFigures) throw new UsageError('--width applies to figures in files; add --to pdf.');
  if (publish && named.length > 0)
    throw new UsageError('--publish writes the pages in the repository, which cover all experiments; name none.');
}

type Options = Parameters<typeof writePagesOf>[1];

async function writeNamed(
  pages: readonly AskedPage[],
  options: Options,
  isJson: boolean,
  printer: Printer,
): Promise<void> {
  const written = await writePagesOf(pages, options);
  const { folder, rows, scale } = options;
  if (!written.figures) printer.note(WITHOUT_FIGURES);
  if (isJson) printer.out(toJson({ folder, ...written }));
  else for (const [i, page] of pages.entries()) tellPage(written.pages[i]!, page, rows, scale, printer);
}

const WITHOUT_FIGURES = `isolab: The pages have no figures. ${FIGURES_ABSENT}`;

async function writeAll(
  benchmarks: string,
  publish: boolean,
  options: Options,
  isJson: boolean,
  printer: Printer,
): Promise<void> {
  const { folder, rows, own = [], scale } = options;
  const experiments = loadExperiments(benchmarks);
  const paperOf = publish ? { paperOf: readPapers(benchmarks) } : {};
  const { figures: hasFigures, files, png } = await writeReports({ ...options, experiments, ...paperOf });
  if (!hasFigures) printer.note(WITHOUT_FIGURES);
  if (isJson)
    return printer.out(toJson({ folder, files, png, figures: hasFigures, rows: rows.length, own: own.length }));
  const figures = !hasFigures ? 'no figures' : png === null ? 'no PNG: @resvg/resvg-js is not installed' : `${png} PNG`;
  const whose = own.length === 0 ? '' : `, ${own.length} of them your own`;
  const counts = `${count(experiments.length, 'experiment')}, ${count(rows.length, 'result')}${whose}, ${figures}`;
  printer.out(`${visibleLine(join(folder, 'index.html'))}: ${counts}`);
  tellLatest(own.length > 0 ? own : rows, experiments, folder, scale, printer);
}

/** Experiments, papers and files that the words name. */
function asked(words: readonly string[], root: string, rows: readonly ResultRow[]): AskedPage[] {
  const all = areFiles(words) ? [] : loadExperiments(join(root, 'benchmarks'));
  return words.map((word) => {
    if (isFile(word)) return { name: word, experiments: [loadExperimentFile(word)] };
    if (rows.some(({ experiment }) => experiment === word) && all.every(({ id }) => id !== word))
      throw new UsageError(`${word} is not an experiment of benchmarks/; name its file, as for isolab bench.`);
    return { name: word.replace(/\/$/, ''), experiments: experimentsNamed(all, [word]) };
  });
}

function tellPage(
  path: string,
  { name, experiments }: AskedPage,
  rows: readonly ResultRow[],
  scale: Scale,
  printer: Printer,
): void {
  const ids = new Set(experiments.map(({ id }) => id));
  const [only] = experiments;
  const title = experiments.length === 1 ? only!.title : count(experiments.length, 'experiment');
  printer.out(`${visibleLine(path)}: ${visibleLine(title)}`);
  if (!rows.some(({ experiment }) => ids.has(experiment)))
    printer.note(visibleLine(`No results yet: isolab bench ${shellPath(name)} --scale ${scale}`));
}

/** Prints the location of the latest figure, which most users look for. */
function tellLatest(
  rows: readonly ResultRow[],
  experiments: readonly ExperimentFile[],
  folder: string,
  scale: Scale,
  printer: Printer,
): void {
  const ids = new Set(experiments.map(({ id }) => id));
  const known = rows.filter(({ experiment }) => ids.has(experiment));
  const [last] = known.toSorted((a, b) => (a.run.at < b.run.at ? 1 : -1));
  if (last === undefined) return printer.out(`No results yet: isolab bench all --scale ${scale}`);
  printer.out(`${visibleLine(join(folder, `${last.experiment}.html`))}: measured last`);
}
