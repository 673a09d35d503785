import { type Dataset, type Datasets, chooseDatasets } from '@isolab/experiments';
import { datasetsOf, rootFolder } from '../bench/lab.ts';
import type { ListFlags } from './list-flags.ts';
import { ExitCode } from '../terminal/exit.ts';
import { copiesIn, megabytesOf } from '../bench/get-datasets.ts';
import { type Printer, count, table, toJson } from '../terminal/print.ts';

/** Prints the datasets of a laboratory, or of the named archives, papers and figures. */
export async function list(words: readonly string[], flags: ListFlags, printer: Printer): Promise<number> {
  const { datasets: known } = datasetsOf(rootFolder(flags.root));
  const all = chooseDatasets(known.manifest, words, known.archives);
  // Thousands of histories of archives would hide the others; they are listed only on request.
  const chosen =
    words.length > 0 || flags.output === 'json' ? all : all.filter(({ source }) => source.kind !== 'archive');
  const here = new Map<Dataset, boolean>();
  for (const dataset of chosen) here.set(dataset, await known.isHere(dataset));
  if (flags.output === 'json') {
    printer.out(toJson({ datasets: chosen.map((dataset) => ({ ...dataset, here: here.get(dataset) })) }));
    return ExitCode.Satisfied;
  }
  const rows = chosen.map((dataset) => [
    dataset.id,
    dataset.source.kind === 'generated'
      ? 'is made'
      : here.get(dataset)
        ? 'here'
        : dataset.source.kind.replace('archive', 'public'),
    dataset.sizes?.transactions ?? '?',
    dataset.sizes?.operations ?? '?',
    dataset.format,
    dataset.database ?? '',
  ]);
  printer.out(table([['dataset', '', 'transactions', 'operations', 'format', 'database'], ...rows]));
  printer.out(`\n${count(chosen.length, 'dataset')}; isolab bench datasets get ID downloads an absent one.`);
  if (chosen.length < all.length) listArchives(known, printer);
  return ExitCode.Satisfied;
}

/** Prints one line per archive, with the number of its datasets in the manifest. */
function listArchives({ archives, manifest }: Datasets, printer: Printer): void {
  const rows = archives.map(({ name, repository, licence }) => {
    const own = chooseDatasets(manifest, [name], archives);
    return [name, own.length, copiesIn(own), megabytesOf(own), repository, licence];
  });
  printer.out(`\n${table([['archive', 'histories', 'copies', 'MB', 'repository', 'licence'], ...rows])}`);
  printer.out(
    '\nisolab list datasets ARCHIVE lists the histories of an archive, isolab bench datasets get ARCHIVE downloads them.',
  );
}
