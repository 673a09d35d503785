import { HISTORY_FORMATS, type Loss, findFormat, isOccupied, outputTo } from '@isolab/formats';
import { ExitCode, UsageError } from '../exit.ts';
import { type InputFlags, openDocument } from '../open.ts';
import { type Printer, table, toJson } from '../print.ts';

export interface ConvertFlags extends InputFlags {
  readonly to?: string;
  readonly allowLossy?: string | boolean;
  readonly force?: boolean;
  readonly output: string;
}

/** `isolab convert`: lossless, or says what would be lost and refuses. */
export async function convert(from: string, to: string, flags: ConvertFlags, printer: Printer): Promise<number> {
  const format = targetFormat(to, flags.to);
  const document = await openDocument(from, flags);
  if (document.kind === 'polygraph') {
    if (!('writePolygraph' in format))
      throw new UsageError(`${from} is a polygraph; it can only be written as one, not as ${format.name}.`);
    await format.writePolygraph(document.polygraph, outputTo(to));
    return ExitCode.Satisfied;
  }
  if (!('read' in format) || !format.writer)
    throw new UsageError(`isolab reads ${format.name}, but does not write histories in it.`);
  if (format.layout === 'directory') {
    if (to === '-') throw new UsageError(`${format.name} is a directory of files and cannot go to standard output.`);
    if (!flags.force && (await isOccupied(to)))
      throw new UsageError(`${to} is not empty; --force writes into it all the same.`);
  }

  const writer = await format.writer();
  const losses = writer.losses(document.history);
  const refused = losses.filter((loss) => !isAllowed(loss, flags.allowLossy));
  if (refused.length > 0) {
    printer.note(`${from} cannot be written as ${format.name} without loss:\n${lossTable(refused)}`);
    printer.note(
      `Nothing was written. --allow-lossy allows all of this, --allow-lossy=${refused.map(({ name }) => name).join(',')} just that.`,
    );
    return ExitCode.Failed;
  }
  await writer.write(document.history, outputTo(to));
  if (losses.length > 0) printer.note(`Lost in ${to}:\n${lossTable(losses)}`);
  if (flags.output === 'json' && to !== '-') printer.out(toJson({ from, to, format: format.name, losses }));
  return ExitCode.Satisfied;
}

function targetFormat(path: string, name: string | undefined): NonNullable<ReturnType<typeof findFormat>> {
  if (name !== undefined) {
    const format = findFormat(name);
    if (format) return format;
    throw new UsageError(`There is no format ${name}; isolab formats lists them.`);
  }
  const ending = /\.([a-z]+)(?:\.gz)?$/.exec(path)?.[1];
  const format = HISTORY_FORMATS.find(
    ({ fileName, layout }) => layout === 'stream' && ending !== undefined && fileName.endsWith(`.${ending}`),
  );
  if (format && ending !== 'txt' && ending !== 'json') return format;
  throw new UsageError(`Which format is ${path} to have? Say --to FORMAT; isolab formats lists them.`);
}

function isAllowed({ name }: Loss, allowed: string | boolean | undefined): boolean {
  return typeof allowed === 'string' ? allowed.split(',').includes(name) : allowed === true;
}

const lossTable = (losses: readonly Loss[]): string =>
  table(losses.map(({ name, count, fate }) => [name, count, fate]));
