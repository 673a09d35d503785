import { visibleLine } from 'isolab/skin';
import { findLevel } from 'isolab/check';
import { type ExpectedVerdict, addDataset, chooseDatasets } from '@isolab/experiments';
import { join } from 'node:path';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { datasetsOf, rootFolder } from '../bench/lab.ts';
import { getDatasets } from '../bench/get-datasets.ts';
import { type CommandFlags, type CommandModule, ROOT, option, repeated } from '../terminal/options.ts';
import { parseOptions } from '../terminal/words.ts';

const OPTIONS = [
  ROOT,
  option('--mirror <folder>', 'read bare clones in FOLDER; ISOLAB_MIRRORS if absent'),
  option('--force', 'download more than 200 MB'),
  option('--name <name>', 'set the id of a new dataset'),
  repeated('--set <name=value>', 'set the title, database or figure of a new dataset'),
  option('--format <name>', 'read the input in this format', 'auto'),
  repeated('--expect <level=verdict>', 'set a known verdict of a new dataset'),
] as const;
export type DatasetsFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab bench datasets get polysi', 'isolab bench datasets verify'],
  options: OPTIONS,
  run: datasets,
};

/** `isolab bench datasets get|verify|add`: named histories, their locations, and their checksums. */
export async function datasets(
  action: string,
  words: readonly string[],
  flags: DatasetsFlags,
  printer: Printer,
): Promise<number> {
  if (action === 'get') return getDatasets(datasetsOf(rootFolder(flags.root)).datasets, words, flags, printer);
  if (action === 'verify') return verify(words, flags, printer);
  if (action === 'add') return add(words, flags, printer);
  throw new UsageError(`isolab bench datasets expects get, verify or add, not ${action}.`);
}

/** Verifies the checksums of all local datasets; named datasets must be available. */
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
    printer.out(`${chosen.length - absent - problems.length} intact, ${problems.length} wrong, ${absent} absent`);
  }
  return problems.length > 0 ? ExitCode.Failed : ExitCode.Satisfied;
}

async function add(words: readonly string[], flags: DatasetsFlags, printer: Printer): Promise<number> {
  const [path] = words;
  if (path === undefined || words.length > 1 || flags.name === undefined)
    throw new UsageError('isolab bench datasets add needs one path and --name NAME.');
  const { name: id, format, expect } = flags;
  const { title, database, figure, ...others } = parseOptions(flags.set, '--set');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new UsageError(`--set accepts title, database or figure, not ${unknown}.`);
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
      : 'in local.json, for this machine only; set ISOLAB_DATASETS to the folder of the history';
  printer.out(
    flags.output === 'json'
      ? toJson(dataset)
      : `${visibleLine(id)}: ${dataset.format}, ${count(dataset.sizes?.transactions ?? 0, 'transaction')}, ${kept}`,
  );
  return ExitCode.Satisfied;
}

/**
 * Parses an expected verdict, perhaps with its source: `snapshot-isolation=violated`, `serializable=satisfied:the
 * paper, table 2`.
 */
function parseExpected(text: string): ExpectedVerdict {
  const [, word = '', verdict, by] = /^([\w-]+)=(satisfied|violated)(?::(.+))?$/.exec(text) ?? [];
  const level = findLevel(word)?.level.name;
  if (level === undefined || verdict === undefined)
    throw new UsageError(`--expect needs LEVEL=satisfied or LEVEL=violated, optionally with :SOURCE, not ${text}.`);
  return { level, verdict: verdict as ExpectedVerdict['verdict'], by: by ?? 'the user who added it' };
}
