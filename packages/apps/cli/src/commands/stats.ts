import { findFormat } from 'isolab/formats';
import { statisticsRows, statisticsSentences, visibleLine } from 'isolab/skin';
import { statistics, type Statistics } from 'isolab';
import { eachPath } from '../verdicts/each-path.ts';
import { ExitCode } from '../terminal/exit.ts';
import { openPath } from '../verdicts/open.ts';
import { type Printer, table, toJson } from '../terminal/print.ts';
import { type CommandFlags, type CommandModule, READING } from '../terminal/options.ts';

export type StatsFlags = CommandFlags<typeof READING>;

export const command: CommandModule = {
  examples: ['isolab stats history.jsonl', 'isolab stats logs/ --format cobra-log --output json'],
  options: READING,
  run: stats,
};

/** `isolab stats`: prints the contents of each history, and the conclusive share of it. */
export async function stats(paths: readonly string[], flags: StatsFlags, printer: Printer): Promise<number> {
  return eachPath(paths, flags, printer, async (path) => {
    const document = await openPath(path, flags);
    const counted = statistics(document);
    printer.out(flags.output === 'json' ? toJson({ path, ...counted }) : asText(path, counted, printer));
    return ExitCode.Satisfied;
  });
}

function asText(path: string, counted: Statistics, { style }: Printer): string {
  const title = `${style.bold(visibleLine(path))}  ${style.dim(findFormat(counted.format)?.title ?? '')}`;
  const sentences = statisticsSentences(counted).map((line) => `  ${line}`);
  return [title, table(statisticsRows(counted)), ...(sentences.length > 0 ? ['', ...sentences] : [])].join('\n');
}
