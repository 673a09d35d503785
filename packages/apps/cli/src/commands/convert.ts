import { convert as convertTo } from 'isolab';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { openPath } from '../verdicts/open.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { insistOnTarget } from '../terminal/targets.ts';
import { historyFormatFor, targetFormat, writeHistory } from './write.ts';
import { type CommandFlags, type CommandModule, READING, WRITING } from '../terminal/options.ts';

const OPTIONS = [...READING, ...WRITING] as const;
export type ConvertFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab convert history.edn history.jsonl',
    'isolab convert history.jsonl logs --to cobra-log --allow-lossy',
  ],
  options: OPTIONS,
  run: convert,
};

/** `isolab convert`: converts without loss, or refuses and names the loss. */
export async function convert(from: string, to: string, flags: ConvertFlags, printer: Printer): Promise<number> {
  const format = await targetFormat(to, flags.to);
  // A history that the format cannot hold is refused before a long file is read.
  if ('writePolygraph' in format) insistOnTarget(to, { inputs: [from], force: flags.force });
  else await historyFormatFor(to, [from], flags);
  const document = await openPath(from, flags);
  if (document.kind === 'polygraph') {
    if (!('writePolygraph' in format))
      throw new UsageError(`${from} is a polygraph, which can only be written as a polygraph, not as ${format.name}.`);
    await convertTo(document, to, { to: format.name });
    return ExitCode.Satisfied;
  }
  const historyFormat = await historyFormatFor(to, [from], flags);
  const losses = await writeHistory(document.history, from, to, historyFormat, flags, printer);
  if (losses === null) return ExitCode.Failed;
  if (flags.output === 'json' && to !== '-') printer.out(toJson({ from, to, format: historyFormat.name, losses }));
  return ExitCode.Satisfied;
}
