import { type ALL_FORMATS, findFormat, HISTORY_FORMATS, type HistoryFormat, type Loss } from 'isolab/formats';
import { convert, type History } from 'isolab';
import { visibleLine } from 'isolab/skin';
import { formatPlugin } from 'isolab/plugins';
import type { FlagsIn, WRITING } from '../terminal/options.ts';
import { UsageError } from '../terminal/exit.ts';
import { type Printer, table } from '../terminal/print.ts';
import { insistOnDirectory, insistOnTarget } from '../terminal/targets.ts';
import { unknownWord } from '../terminal/words.ts';

export type WriteFlags = FlagsIn<typeof WRITING>;

/** Format that is requested, or implied by the file name. */
export async function targetFormat(path: string, name: string | undefined): Promise<(typeof ALL_FORMATS)[number]> {
  if (name !== undefined) {
    const format = findFormat(name) ?? (await formatPlugin(name));
    if (format) return format;
    throw unknownWord(
      'format',
      name,
      HISTORY_FORMATS.map((each) => each.name),
    );
  }
  const ending = /\.([a-z]+)(?:\.gz)?$/.exec(path)?.[1];
  const format = HISTORY_FORMATS.find(
    ({ fileName, layout }) => layout === 'stream' && ending !== undefined && fileName.endsWith(`.${ending}`),
  );
  if (format && ending !== 'txt' && ending !== 'json') return format;
  throw new UsageError(`Missing --to FORMAT for ${path}; isolab list formats lists them.`);
}

/** Format of a history to write; refuses impossible outputs and losses before any work. */
export async function historyFormatFor(
  path: string,
  inputs: readonly string[],
  { to, force }: WriteFlags,
): Promise<HistoryFormat> {
  const format = await targetFormat(path, to);
  if (!('read' in format) || !format.writer)
    throw new UsageError(`isolab reads ${format.name}, but cannot write histories in it.`);
  if (format.layout === 'directory') {
    if (path === '-')
      throw new UsageError(`${format.name} is a directory of files and cannot be written to standard output.`);
    insistOnDirectory(path, format.fileName, { inputs, force });
  } else insistOnTarget(path, { inputs, force });
  return format;
}

/** Writes a history without loss, or with the allowed losses, which it returns; null if it wrote nothing. */
export async function writeHistory(
  history: History,
  name: string,
  path: string,
  format: HistoryFormat,
  { allowLossy }: WriteFlags,
  printer: Printer,
): Promise<readonly Loss[] | null> {
  const allowed = typeof allowLossy === 'string' ? allowLossy.split(',') : allowLossy === true;
  const { losses, refused } = await convert(history, path, { to: format, allowLossy: allowed });
  if (refused.length > 0) {
    printer.note(`${name} cannot be written as ${format.name} without loss:\n${lossTable(refused)}`);
    printer.note(
      `Nothing was written. --allow-lossy accepts all losses, --allow-lossy=${refused.map(({ name: loss }) => loss).join(',')} only these.`,
    );
    return null;
  }
  if (losses.length > 0) printer.note(`Lost in ${visibleLine(path)}:\n${lossTable(losses)}`);
  return losses;
}

const lossTable = (losses: readonly Loss[]): string =>
  table(losses.map(({ name, count, fate }) => [name, count, fate]));
