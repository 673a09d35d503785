import { visibleLine } from '@isolab/history';
import { join } from 'node:path';
import {
  FIGURE_FORMATS,
  type ResultRow,
  type Scale,
  latestRows,
  loadExperiments,
  readPapers,
  readRows,
  resultsFile,
  seriesData,
  writeReports,
} from '@isolab/experiments';
import { ExitCode, UsageError } from '../exit.ts';
import { writeFigures } from '../figure-files.ts';
import { type Printer, count, toJson } from '../print.ts';
import { datasetsOf, rootFolder, scaleNamed } from './bench.ts';
import { type CommandModule, option, SCALE } from '../options.ts';

export interface ReportFlags {
  readonly scale: string;
  readonly root?: string;
  /** Figures as PNG, too: with --png they must be, with --no-png they are not. */
  readonly png?: boolean;
  readonly to?: string;
  readonly out?: string;
  readonly width: string;
  readonly force?: boolean;
  readonly output: string;
}

export const command: CommandModule = {
  usage: 'report [experiments...]',
  summary: 'write pages of the results, which claims of the papers hold here, or single figures for a paper',
  examples: ['isolab report polysi/fig7a --to pdf', 'isolab report --scale laptop'],
  options: [
    SCALE,
    option('--to <format>', `write the named figures in this format: ${FIGURE_FORMATS.join(', ')}; pdf if absent`),
    option('--out <path>', 'write the named figures to this file or folder; the current folder if absent'),
    option('--width <points>', 'make a picture this wide; a column of a paper is 241 points, both are 506', '241'),
    option('--force', 'replace what exists at --out'),
    option('--png', 'write figures of pages as PNG, too; the default where @resvg/resvg-js is installed'),
    option('--no-png', 'write no figures of pages as PNG'),
    option('--root <folder>', 'find benchmarks/ and reports/ here'),
  ],
  run: report,
};

/** `isolab report`: makes pages of the results of a scale, or files of some of its figures. */
export async function report(words: readonly string[], flags: ReportFlags, printer: Printer): Promise<number> {
  const root = rootFolder(flags.root);
  const scale = scaleNamed(flags.scale);
  const rows = latestRows(readRows(resultsFile(join(root, 'reports'), scale)));
  const experiments = loadExperiments(join(root, 'benchmarks'));
  if (words.length > 0) return writeFigures(words, { ...flags, experiments, rows, scale }, printer);
  if (flags.to !== undefined || flags.out !== undefined)
    throw new UsageError(
      'Which figures? isolab report polysi/fig7a --to pdf writes one; isolab bench --list names all.',
    );
  const folder = join(root, 'reports', scale);
  const { datasets } = datasetsOf(root);
  const written = await writeReports({
    experiments,
    rows,
    scale,
    folder,
    paperOf: readPapers(join(root, 'benchmarks')),
    findData: seriesData(datasets.manifest, datasets.archives),
    ...(flags.png !== undefined && { png: flags.png }),
  });
  if (flags.output === 'json') printer.out(toJson({ folder, ...written, rows: rows.length }));
  else {
    const figures = written.png === null ? 'no PNG: @resvg/resvg-js is not installed' : `${written.png} PNG`;
    printer.out(
      `${visibleLine(join(folder, 'index.html'))}: ${count(experiments.length, 'experiment')}, ${count(rows.length, 'result')}, ${figures}`,
    );
    tellLatest(rows, folder, scale, printer);
  }
  return ExitCode.Satisfied;
}

/** Where the figure is that was measured last: most often it is the one that is asked for. */
function tellLatest(rows: readonly ResultRow[], folder: string, scale: Scale, printer: Printer): void {
  const [last] = rows.toSorted((a, b) => (a.run.at < b.run.at ? 1 : -1));
  if (last === undefined) return printer.out(`Nothing was measured yet: isolab bench all --scale ${scale}`);
  printer.out(`${visibleLine(join(folder, `${last.experiment}.html`))}: measured last`);
}
