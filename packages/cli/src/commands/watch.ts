import { visibleLine } from '@isolab/history';
import { ExitCode } from '../exit.ts';
import { parseTime } from '../limits.ts';
import { type CommandModule, choice, option } from '../options.ts';
import { type Printer, toJson } from '../print.ts';
import { wholeNumber } from '../words.ts';
import { alarmLine, codeOfWatch, conclusion, pageAddress, watchedLevels } from '../watching.ts';

interface WatchFlags {
  readonly level?: string;
  readonly folder?: string;
  readonly horizon: string;
  readonly batch: string;
  readonly values: 'auto' | 'repeated';
  readonly recheck: string;
  readonly interval: string;
  readonly time: string;
  readonly page?: string;
  readonly hook?: string;
  /** False with --no-follow. */
  readonly follow: boolean;
  readonly output: string;
}

export const command: CommandModule = {
  usage: 'watch <source>',
  summary:
    'check a running system: judge transactions as they come, from a growing file, - (standard input), http://…, tcp://…, unix:… or redis://…',
  options: [
    option('-l, --level <levels>', 'watch these levels, by commas'),
    option(
      '--folder <folder>',
      'keep the log, the alarms and a checkpoint here, and go on from it; SOURCE.watch if absent',
    ),
    option(
      '--horizon <horizon>',
      'wait for nothing that is later than so many transactions or this time: 10000, 60s, or both by a comma',
      '10000,60s',
    ),
    option('--batch <n>', 'judge so many transactions at once, and after a quarter of a second in any case', '5000'),
    choice(
      '--values <kind>',
      'take values for unique until one repeats, or hold alarms back for the horizon because they repeat',
      'auto',
      'repeated',
    ),
    option(
      '--recheck <n>',
      'read the log again where what was forgotten is needed, up to so many transactions',
      '1000000',
    ),
    option('--interval <time>', 'tell the status so often', '5s'),
    option('--time <time>', 'limit the time of one judgement', '60s'),
    option('--page <address>', 'serve a live page, and metrics for Prometheus at /metrics, at HOST:PORT'),
    option('--hook <url>', 'post each alarm to this address, as JSON'),
    option('--no-follow', 'end at the end of the file'),
  ],
  outputs: ['jsonl'],
  run: watch,
};

/** `isolab watch`: judges a stream of transactions until it ends or is interrupted. */
export async function watch(word: string, flags: WatchFlags, printer: Printer): Promise<number> {
  const levels = watchedLevels(flags.level, printer);
  const { beginsAnew, openSource, postAlarm, runWatch, servePage, sourceAddress, sourceName, statusLine, watchFolder } =
    await import('@isolab/watch');
  const address = sourceAddress(word);
  const note = (text: string): void => printer.note(visibleLine(text));
  const posts: Promise<void>[] = [];
  const folder = await watchFolder(flags.folder ?? (address.kind === 'file' ? `${word}.watch` : 'isolab.watch'), {
    name: sourceName(word),
    levels,
    horizon: horizonOf(flags.horizon),
    batch: { transactions: wholeNumber('--batch', flags.batch), ms: 250 },
    values: flags.values,
    mostReopened: wholeNumber('--recheck', flags.recheck),
    timeMs: parseTime(flags.time),
    onAlarm: (alarm) => {
      printer.judged(ExitCode.Violated);
      if (flags.output === 'jsonl') printer.out(JSON.stringify({ alarm }));
      else note(alarmLine(alarm));
      if (flags.hook !== undefined)
        posts.push(postAlarm(flags.hook, alarm).catch((error: unknown) => note((error as Error).message)));
    },
  });
  const page =
    flags.page === undefined ? null : await servePage(pageAddress(flags.page), () => folder.watcher.status());
  try {
    if (page !== null) note(`The page is at ${page.url}, metrics are at ${page.url}metrics.`);
    if (folder.lines > 0) {
      note(`Going on after line ${folder.lines}.`);
      if (beginsAnew(address)) folder.watcher.skipTaken(folder.position?.lines);
    }
    const isFollowed = (): boolean => flags.follow;
    const source = openSource(address, { isFollowed, onNote: note, from: folder.position?.at ?? null });
    const { ending, status } = await printer.interruptible((signal) =>
      runWatch(source, folder, {
        intervalMs: parseTime(flags.interval, '--interval'),
        signal,
        onStatus: (now) =>
          flags.output === 'jsonl' ? printer.out(JSON.stringify({ status: now })) : note(statusLine(now)),
      }),
    );
    await Promise.all(posts);
    if (flags.output === 'json') printer.out(toJson({ ending, ...status }));
    else if (flags.output === 'jsonl') printer.out(JSON.stringify({ ending, status }));
    else printer.out(conclusion(ending, status));
    return codeOfWatch(ending, status);
  } finally {
    page?.close();
    folder.close();
  }
}

function horizonOf(text: string): { readonly transactions: number; readonly ms: number } {
  let transactions = Infinity;
  let ms = Infinity;
  for (const part of text.split(','))
    if (/^\d+$/.test(part)) transactions = wholeNumber('--horizon', part);
    else ms = parseTime(part, '--horizon');
  return { transactions, ms };
}
