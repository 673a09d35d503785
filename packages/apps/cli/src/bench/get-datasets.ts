/** `isolab bench datasets get`: fetches histories from public repositories. */
import {
  type Dataset,
  type Datasets,
  absentOf,
  bytesOf,
  chooseDatasets,
  fetchAbsent,
  isPublic,
} from '@isolab/experiments';
import { visibleLine } from 'isolab/skin';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type Printer, count, duration, toJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progress.ts';

export interface GetFlags {
  readonly mirror?: string;
  readonly force?: boolean;
  readonly output: string;
}

interface Got {
  readonly dataset: Dataset;
  readonly path: string;
}

interface Gap {
  readonly dataset: Dataset;
  readonly reason: string;
}

export async function getDatasets(
  known: Datasets,
  words: readonly string[],
  flags: GetFlags,
  printer: Printer,
): Promise<number> {
  const chosen = chosenBy(known, words);
  const absent = await absentOf(known, chosen);
  await insistOnConsent(absent, flags);
  const mirror = flags.mirror ?? process.env['ISOLAB_MIRRORS'];
  const progress = progressLine(progressText(Date.now()));
  const gaps = await printer.interruptible((signal) =>
    fetchAbsent(known, absent, { ...(mirror && { mirror }), signal, onProgress: progress.show }),
  );
  progress.clear();
  const reasons = new Map(gaps.map(({ dataset, reason }) => [dataset.sha256, reason]));
  const got: Got[] = [];
  const missing: Gap[] = [];
  for (const dataset of chosen) {
    const found = await known.locate(dataset.id);
    if ('path' in found) got.push({ dataset, path: found.path });
    else missing.push({ dataset, reason: reasons.get(dataset.sha256) ?? found.reason });
  }
  if (flags.output === 'json')
    printer.out(
      toJson({
        datasets: got.map(({ dataset, path }) => ({ id: dataset.id, path })),
        missing: missing.map(({ dataset, reason }) => ({ id: dataset.id, reason })),
      }),
    );
  else {
    tellGot(known, got, printer);
    tellMissing(missing, chosen.length, printer);
  }
  return missing.length > 0 ? ExitCode.Unknown : ExitCode.Satisfied;
}

function chosenBy(known: Datasets, words: readonly string[]): Dataset[] {
  if (words.includes('all')) return known.manifest.datasets.filter(isPublic);
  if (words.length > 0) return chooseDatasets(known.manifest, words, known.archives);
  const names = known.archives.map(({ name }) => name).join(', ');
  throw new UsageError(`Missing the datasets to get: name ids of datasets, archives (${names}) or all.`);
}

const ASKED_ABOVE_BYTES = 200e6;

export const megabytesOf = (datasets: readonly Dataset[]): number => Math.ceil(bytesOf(datasets) / 1e6);

export const copiesIn = (datasets: readonly Dataset[]): number =>
  datasets.length - new Set(datasets.map(({ sha256 }) => sha256)).size;

async function insistOnConsent(absent: readonly Dataset[], { force = false }: GetFlags): Promise<void> {
  if (force || bytesOf(absent) <= ASKED_ABOVE_BYTES) return;
  const size = `${count(absent.length, 'history', 'histories')} of ${megabytesOf(absent)} MB`;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      `${size} would be downloaded, which exceeds 200 MB: confirm with --force, or name fewer datasets.`,
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`Get ${size}? [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageError('Nothing was downloaded.');
  } finally {
    terminal.close();
  }
}

const progressText =
  (begin: number) =>
  (done: number, all: number): string => {
    const left = (Date.now() - begin) * (all / Math.max(1, done) - 1);
    return `${Math.round(done / 1e6)} of ${Math.round(all / 1e6)} MB, about ${duration(left)} left`;
  };

const SHOWN = 20;

/** Prints a line per history if there are few, otherwise a line per archive. */
function tellGot({ archives }: Datasets, got: readonly Got[], printer: Printer): void {
  if (got.length <= SHOWN) {
    for (const { dataset, path } of got) {
      printer.out(`${visibleLine(dataset.id)}  ${visibleLine(path)}`);
      if (isPublic(dataset))
        printer.out(`  ${visibleLine(`${dataset.source.repository}, licence: ${dataset.source.licence}`)}`);
    }
    return;
  }
  const others = got.filter(({ dataset }) => !isPublic(dataset));
  if (others.length > 0) printer.out(`${others.length} from this repository are available`);
  for (const { name, repository, licence } of archives) {
    const own = got.flatMap(({ dataset }) =>
      isPublic(dataset) && dataset.source.repository === repository ? [dataset] : [],
    );
    if (own.length === 0) continue;
    const copies = copiesIn(own) > 0 ? `, ${copiesIn(own)} of them copies` : '';
    printer.out(`${name}: ${count(own.length, 'history', 'histories')}${copies}, ${megabytesOf(own)} MB available`);
    printer.out(`  ${visibleLine(`${repository}, licence: ${licence}`)}`);
  }
}

/** Prints the gaps, grouped by reason. */
function tellMissing(missing: readonly Gap[], asked: number, printer: Printer): void {
  if (missing.length === 0) return;
  const byReason = new Map<string, string[]>();
  for (const { dataset, reason } of missing) byReason.set(reason, [...(byReason.get(reason) ?? []), dataset.id]);
  for (const [reason, ids] of byReason) {
    const named = ids.slice(0, 3).join(', ');
    const more = ids.length > 3 ? ` and ${ids.length - 3} more` : '';
    printer.out(`${printer.style.red('missing')}  ${visibleLine(`${named}${more}`)}\n  ${visibleLine(reason)}`);
  }
  printer.out(
    `\n${asked - missing.length} of ${asked} are available. Repeat the command to continue; isolab list datasets shows the state of each.`,
  );
}
