import { mergeHunts } from '@isolab/hunt';
import { visibleLine } from 'isolab/skin';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type CommandFlags, type CommandModule, OUT_FOLDER } from '../terminal/options.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { tell } from './hunt-text.ts';

const OPTIONS = [OUT_FOLDER('write the merged hunt to FOLDER; required')] as const;
export type MergeFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab hunt merge shard-1 shard-2 --out hunt-postgres',
    'isolab hunt merge shards/* --out hunt-postgres --output json',
  ],
  options: OPTIONS,
  run: huntMerge,
};

/** `isolab hunt merge`: puts the folders of shards together and prints the result of the whole hunt. */
export async function huntMerge(folders: readonly string[], flags: MergeFlags, printer: Printer): Promise<number> {
  if (flags.out === undefined) throw new UsageError('Missing --out FOLDER, the folder of the merged hunt.');
  const { summary, missing, of, findings } = await mergeHunts(folders, flags.out);
  if (flags.output === 'json') printer.out(toJson({ folder: flags.out, ...summary }));
  else {
    for (const { trial, summary: found } of findings)
      printer.out(visibleLine(`violated in trial ${trial.trial}: ${found}`));
    if (missing.length > 0) printer.note(`Missing shards of ${of}: ${missing.join(', ')}.`);
    tell(summary, flags.out, printer);
  }
  if (summary.verdict === 'violated') return ExitCode.Violated;
  return summary.verdict === 'unknown' ? ExitCode.Unknown : ExitCode.Satisfied;
}
