import { outputTo } from '@isolab/formats';
import { ExitCode, UsageError } from '../exit.ts';
import { type InputFlags, openDocument } from '../open.ts';
import { type Printer, toJson } from '../print.ts';
import { type WriteFlags, historyFormatFor, targetFormat, writeHistory } from '../write.ts';

export interface ConvertFlags extends InputFlags, WriteFlags {
  readonly output: string;
}

/** `isolab convert`: lossless, or says what would be lost and refuses. */
export async function convert(from: string, to: string, flags: ConvertFlags, printer: Printer): Promise<number> {
  targetFormat(to, flags.to); // a wrong name is reported before a long file is read
  const document = await openDocument(from, flags);
  if (document.kind === 'polygraph') {
    const format = targetFormat(to, flags.to);
    if (!('writePolygraph' in format))
      throw new UsageError(`${from} is a polygraph; it can only be written as one, not as ${format.name}.`);
    await format.writePolygraph(document.polygraph, outputTo(to));
    return ExitCode.Satisfied;
  }
  const format = await historyFormatFor(to, flags);
  const losses = await writeHistory(document.history, from, to, format, flags, printer);
  if (losses === null) return ExitCode.Failed;
  if (flags.output === 'json' && to !== '-') printer.out(toJson({ from, to, format: format.name, losses }));
  return ExitCode.Satisfied;
}
