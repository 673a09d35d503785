import { join } from 'node:path';
import {
  BenchError,
  type ExperimentFile,
  SCALES,
  countCells,
  dataOf,
  loadExperiments,
  readManifest,
} from '@isolab/experiments';
import { rootFolder } from '../bench/lab.ts';
import type { ListFlags } from './list-flags.ts';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, count, table, toJson } from '../terminal/print.ts';

/** Prints the experiments of a laboratory. */
export function list(_names: readonly string[], flags: ListFlags, printer: Printer): number {
  const root = rootFolder(flags.root);
  const all = loadExperiments(join(root, 'benchmarks'));
  const { scale = 'ci' } = flags;
  const manifest = readManifest(join(root, 'datasets'));
  if (all.length === 0) throw new BenchError('There are no experiments.');
  if (flags.output === 'json')
    printer.out(toJson({ experiments: all.map(({ id, title, claim }) => ({ id, title, claim })) }));
  else {
    const data = (each: ExperimentFile): string =>
      [...new Set(each.series.map((series) => dataOf(each, series, scale, manifest)))].join(', ');
    printer.out(
      table([
        ['experiment', 'cells', 'data', 'title'],
        ...all.map((each) => [each.id, countCells(each, scale), data(each), each.title]),
      ]),
    );
    printer.out(
      `\n${count(all.length, 'experiment')}; isolab bench ID… runs some, isolab bench all runs all, at --scale ${SCALES.join(', ')}.`,
    );
  }
  return ExitCode.Satisfied;
}
