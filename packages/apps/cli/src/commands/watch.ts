import { visibleLine } from 'isolab/skin';
import type { PageServer, WatchFolder } from '@isolab/watch';
import { AlarmTeller } from '../watch/alarm-teller.ts';
import { Ending } from '../terminal/ending.ts';
import { parseTime } from '../terminal/limits.ts';
import type { CommandModule } from '../terminal/options.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import {
  OPTIONS,
  type WatchFlags,
  claimFor,
  codeOfWatch,
  conclusion,
  pageAddress,
  watchOptions,
} from '../watch/watching.ts';
import { watchMany } from '../watch/watch-many.ts';
import { watchQueued } from '../watch/watch-queued.ts';

export const command: CommandModule = {
  examples: [
    'isolab watch history.jsonl --level si --page 127.0.0.1:8080',
    'tail -F app.jsonl | isolab watch - --level ser',
  ],
  options: OPTIONS,
  outputs: ['jsonl'],
  run: watch,
};

/** `isolab watch`: checks transactions until the stream or all streams end, or until it is interrupted. */
export async function watch(words: readonly string[], flags: WatchFlags, printer: Printer): Promise<number> {
  if (flags.queue !== undefined) return watchQueued(words, { ...flags, queue: flags.queue }, printer);
  const { isPattern, sourceAddress } = await import('@isolab/watch');
  const [first] = words;
  const address = sourceAddress(first!);
  const hasPattern =
    (address.kind === 'file' && isPattern(address.path)) || (address.kind === 'redis' && isPattern(address.name));
  if (words.length > 1 || hasPattern || flags.byStream) return watchMany(words, flags, printer);
  return watchOne(first!, flags, printer);
}

async function watchOne(word: string, flags: WatchFlags, printer: Printer): Promise<number> {
  const options = watchOptions(flags, printer);
  const watching = await import('@isolab/watch');
  const address = watching.sourceAddress(word);
  const note = (text: string): void => printer.note(visibleLine(text));
  const claimed = claimFor([word], flags, note, watching);
  const end = new Ending(flags);
  const alarms = new AlarmTeller(flags, printer, watching.postAlarm, end.violated);
  let folder: WatchFolder | null = null;
  let page: PageServer | null = null;
  try {
    const opened = (folder = await watching.watchFolder(claimed.folder, {
      ...options,
      name: watching.sourceName(word),
      isReadAgain: watching.beginsAnew(address),
      onAlarm: (alarm) => alarms.tell(alarm),
    }));
    if (flags.page !== undefined)
      page = await watching.servePage(
        pageAddress(flags.page),
        watching.showOne(() => opened.watcher.status()),
      );
    if (page !== null) note(`The page is at ${page.url} and the metrics are at ${page.url}metrics.`);
    if (opened.lines > 0) note(`Continuing after line ${opened.lines}.`);
    const isFollowed = (): boolean => !flags.until.includes('end');
    const source = watching.openSource(address, { isFollowed, onNote: note, from: opened.position?.at ?? null });
    const { ending, status } = await printer.interruptible((signal) =>
      watching.runWatch(source, opened, {
        intervalMs: parseTime(flags.interval, '--interval'),
        signal: end.begin(signal),
        onStatus: (now) =>
          flags.output === 'jsonl' ? printer.out(JSON.stringify({ status: now })) : note(watching.statusLine(now)),
      }),
    );
    await alarms.posted();
    if (flags.output === 'json') printer.out(toJson({ ending, ...status }));
    else if (flags.output === 'jsonl') printer.out(JSON.stringify({ ending, status }));
    else printer.out(conclusion(ending, status, end.why));
    if (ending === 'interrupted')
      note(
        `${claimed.folder} has the log; ${watching.beginsAnew(address) ? 'the same command' : '--resume'} continues it.`,
      );
    return codeOfWatch(ending, status);
  } finally {
    page?.close();
    folder?.close();
    claimed.release();
  }
}
