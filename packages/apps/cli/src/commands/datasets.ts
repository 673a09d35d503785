import { visibleLine } from 'isolab/skin';
import { findLevel } from 'isolab/check';
import { type Dataset, type Datasets, type ExpectedVerdict, addDataset, chooseDatasets } from '@isolab/experiments';
import { join } from 'node:path';
import { ExitCode, UsageError } from '../exit.ts';
import { type Printer, count, table, toJson } from '../print.ts';
import { datasetsOf, rootFolder } from './bench.ts';
import { copiesIn, getDatasets, megabytesOf } from '../get-datasets.ts';
import { type CommandModule, option, repeated } from '../options.ts';

export interface DatasetsFlags {
  readonly root?: string;
  readonly id?: string;
  readonly title?: string;
  readonly database?: string;
  readonly figure?: string;
  readonly format?: string;
  readonly expect?: readonly string[];
  readonly all?: boolean;
  readonly mirror?: string;
  readonly yes?: boolean;
  readonly output: string;
}

export const command: CommandModule = {
  examples: ['isolab datasets list', 'isolab datasets get polysi'],
  options: [
    option('--root <folder>', 'find datasets/ here'),
    option('--all', 'get every history of every archive'),
    option('--mirror <folder>', 'read bare clones here, OWNER+NAME/repo or OWNER/NAME.git; ISOLAB_MIRRORS if absent'),
    option('--yes', 'get more than 200 MB without asking'),
    option('--id <id>', 'set the id of a new dataset'),
    option('--title <title>', 'set the title of a new dataset'),
    option('--database <name>', 'set the database of a new dataset'),
    option('--figure <name>', 'set the figure of a new dataset'),
    option('--format <name>', 'set the format of the file of a new dataset', 'auto'),
    repeated('--expect <level=verdict>', 'set what is known of a new dataset'),
  ],
  run: datasets,
};

/** `isolab datasets list|get|verify|add`: named histories, where they are, and whether they are what they should be. */
export async function datasets(
  action: string,
  words: readonly string[],
  flags: DatasetsFlags,
  printer: Printer,
): Promise<number> {
  if (action === 'list') return list(words, flags, printer);
  if (action === 'get') return getDatasets(datasetsOf(rootFolder(flags.root)).datasets, words, flags, printer);
  if (action === 'verify') return verify(words, flags, printer);
  if (action === 'add') return add(words, flags, printer);
  throw new UsageError(`isolab datasets takes list, get, verify or add, not ${action}.`);
}

async function list(words: readonly string[], flags: DatasetsFlags, printer: Printer): Promise<number> {
  const { datasets: known } = datasetsOf(rootFolder(flags.root));
  const all = chooseDatasets(known.manifest, words, known.archives);
  // Thousands of histories of archives would hide the others; a word asks for them.
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
  printer.out(`\n${count(chosen.length, 'dataset')}; isolab datasets get ID gets one that is not here.`);
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
  printer.out('\nisolab datasets list ARCHIVE names its histories, isolab datasets get ARCHIVE gets them.');
}

/** Datasets that are available locally must have the checksums of the manifest; named ones must be available. */
async function verify(words: readonly string[], flags: DatasetsFlags, printer: Printer): Promise<number> {
  const { datasets: known } = datasetsOf(rootFolder(flags.root));
  const chosen = chooseDatasets(known.manifest, words, known.archives);
  const problems: { id: string; problem: string }[] = [];
  let absent = 0;
  for (const dataset of chosen) {
    if (words.length === 0 && !(await known.isHere(dataset))) {
      absent++;
      continue;
    }
    const problem = await known.problemOf(dataset);
    if (problem !== null) problems.push({ id: dataset.id, problem });
  }
  if (flags.output === 'json')
    printer.out(toJson({ verified: chosen.length - absent - problems.length, absent, problems }));
  else {
    for (const { id, problem } of problems)
      printer.out(`${printer.style.red('wrong')}  ${visibleLine(`${id}: ${problem}`)}`);
    printer.out(
      `${chosen.length - absent - problems.length} as they should be, ${problems.length} wrong, ${absent} not here`,
    );
  }
  return problems.length > 0 ? ExitCode.Failed : ExitCode.Satisfied;
}

async function add(words: readonly string[], flags: DatasetsFlags, printer: Printer): Promise<number> {
  const [path] = words;
  if (path === undefined || words.length > 1 || flags.id === undefined)
    throw new UsageError('isolab datasets add needs one path and --id NAME.');
  const { id, title, database, figure, format, expect = [] } = flags;
  const dataset = await addDataset(join(rootFolder(flags.root), 'datasets'), path, {
    id,
    ...(title !== undefined && { title }),
    ...(database !== undefined && { database }),
    ...(figure !== undefined && { figure }),
    ...(format !== undefined && format !== 'auto' && { format }),
    expected: expect.map(parseExpected),
  });
  const kept =
    dataset.source.kind === 'committed'
      ? 'in manifest.json'
      : 'in local.json, for this machine alone; set ISOLAB_DATASETS to a folder that holds it';
  printer.out(
    flags.output === 'json'
      ? toJson(dataset)
      : `${visibleLine(id)}: ${dataset.format}, ${count(dataset.sizes?.transactions ?? 0, 'transaction')}, ${kept}`,
  );
  return ExitCode.Satisfied;
}

/** `snapshot-isolation=violated`, perhaps with its source: `serializable=satisfied:the paper, table 2`. */
function parseExpected(text: string): ExpectedVerdict {
  const [, word = '', verdict, by] = /^([\w-]+)=(satisfied|violated)(?::(.+))?$/.exec(text) ?? [];
  const level = findLevel(word)?.level.name;
  if (level === undefined || verdict === undefined)
    throw new UsageError(`--expect takes LEVEL=satisfied or LEVEL=violated, perhaps with :WHO-SAYS-SO, not ${text}.`);
  return { level, verdict: verdict as ExpectedVerdict['verdict'], by: by ?? 'who added it' };
}
