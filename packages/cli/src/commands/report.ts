import { visibleLine } from '@isolab/history';
import { join } from 'node:path';
import { latestRows, loadExperiments, readRows, resultsFile, writeReports } from '@isolab/experiments';
import { ExitCode } from '../exit.ts';
import { type Printer, count, toJson } from '../print.ts';
import { rootFolder, scaleNamed } from './bench.ts';
import { type CommandModule, option, SCALE } from '../options.ts';

export interface ReportFlags {
  readonly scale: string;
  readonly root?: string;
  /** Figures as PNG, too: with --png they must be, with --no-png they are not. */
  readonly png?: boolean;
  readonly output: string;
}

export const command: CommandModule = {
  usage: 'report',
  summary: 'write pages of the results: figures, tables, and which claims of the papers hold here',
  options: [
    SCALE,
    option('--png', 'write figures as PNG, too; the default where @resvg/resvg-js is installed'),
    option('--no-png', 'write no figures as PNG'),
    option('--root <folder>', 'find benchmarks/ and reports/ here'),
  ],
  run: report,
};

/** `isolab report`: makes pages of the results of a scale. */
export async function report(flags: ReportFlags, printer: Printer): Promise<number> {
  const root = rootFolder(flags.root);
  const scale = scaleNamed(flags.scale);
  const rows = latestRows(readRows(resultsFile(join(root, 'reports'), scale)));
  const folder = join(root, 'reports', scale);
  const experiments = loadExperiments(join(root, 'benchmarks'));
  const { png } = flags;
  const written = await writeReports({ experiments, rows, scale, folder, ...(png !== undefined && { png }) });
  if (flags.output === 'json') printer.out(toJson({ folder, ...written, rows: rows.length }));
  else {
    const figures = written.png === null ? 'no PNG: @resvg/resvg-js is not installed' : `${written.png} PNG`;
    printer.out(
      `${visibleLine(join(folder, 'index.html'))}: ${count(experiments.length, 'experiment')}, ${count(rows.length, 'result')}, ${figures}`,
    );
  }
  return ExitCode.Satisfied;
}
