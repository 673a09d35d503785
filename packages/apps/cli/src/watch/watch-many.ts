import { visibleLine } from 'isolab/skin';
import type { ManySource, ManyStatus, PageServer, Stream, Streams } from '@isolab/watch';
import { AlarmTeller } from './alarm-teller.ts';
import { Ending } from '../terminal/ending.ts';
import { ExitCode, UsageError, worseOf } from '../terminal/exit.ts';
import { parseTime } from '../terminal/limits.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { type WatchFlags, claimFor, codeOfWatch, conclusion, pageAddress, watchOptions } from './watching.ts';

/** `isolab watch` of many streams: several files, a pattern, or lines that name their stream. */
export async function watchMany(words: readonly string[], flags: WatchFlags, printer: Printer): Promise<number> {
  const options = watchOptions(flags, printer);
  const watching = await import('@isolab/watch');
  const note = (text: string): void => printer.note(visibleLine(text));
  const source = manySource(words, flags, note, watching);
  const end = new Ending(flags);
  const alarms = new AlarmTeller(flags, printer, watching.postAlarm, end.violated);
  const claimed = claimFor(words, flags, note, watching);
  let page: PageServer | null = null;
  try {
    const many = await watching.openMany(source, watching.keepInFolder(claimed.folder, options), {
      onAlarm: (stream, alarm) => alarms.tell(alarm, stream),
      onFailure: (stream, why) => note(`${stream} is no longer watched: ${why}`),
    });
    const { streams, statuses } = many;
    if (flags.page !== undefined)
      page = await watching.servePage(pageAddress(flags.page), watching.showMany(statuses, streams));
    if (page !== null) note(`The page is at ${page.url} and the metrics are at ${page.url}metrics.`);
    await printer.interruptible((signal) =>
      watching.runMany(source, many, {
        intervalMs: parseTime(flags.interval, '--interval'),
        signal: end.begin(signal),
        onStatus: (now) =>
          flags.output === 'jsonl' ? printer.out(JSON.stringify({ status: now })) : note(watching.manyLine(now)),
      }),
    );
    await alarms.posted();
    if (end.why !== null) note(end.why);
    tell(streams, statuses.now(), flags, printer);
    return codeOfMany(streams);
  } finally {
    page?.close();
    claimed.release();
  }
}

function manySource(
  words: readonly string[],
  { byStream, until }: WatchFlags,
  onNote: (note: string) => void,
  { beginsAnew, filesSource, openSource, redisStreams, sourceAddress, splitSource }: typeof import('@isolab/watch'),
): ManySource {
  const isFollowed = !until.includes('end');
  const addresses = words.map((word) => sourceAddress(word));
  const [address] = addresses;
  if (byStream) {
    if (words.length > 1) throw new UsageError('--by-stream needs one source, whose lines name their stream.');
    const source = openSource(address!, { isFollowed: () => isFollowed, onNote, from: null });
    return splitSource(source, beginsAnew(address!));
  }
  if (words.length === 1 && address!.kind === 'redis')
    return redisStreams({ url: address!.url, pattern: address!.name, isFollowed });
  const other = words.find((_, i) => addresses[i]!.kind !== 'file');
  if (other !== undefined)
    throw new UsageError(
      `Several sources must all be files, found ${other}; expected one pattern of streams in Redis, or one source with --by-stream.`,
    );
  return filesSource(words, { isFollowed, onNote });
}

/** Prints the final report: all streams together, and each stream with a problem. */
function tell({ all }: Streams, status: ManyStatus, flags: WatchFlags, { out }: Printer): void {
  const streams = judged(all).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const results = streams.map(({ name, ending, failure, status: known }) => ({
    stream: name,
    ending,
    failure,
    ...known,
  }));
  if (flags.output === 'json') out(toJson({ ...status, noteworthy: undefined, results }));
  else if (flags.output === 'jsonl') for (const result of results) out(JSON.stringify({ result }));
  if (flags.output !== 'text') return;
  out(
    `${count(streams.length, 'stream')}, ${status.transactions.toLocaleString('en-US')} transactions, ${count(status.alarmsInAll, 'alarm')}.`,
  );
  for (const stream of streams) {
    const { name, ending, failure, status: known } = stream;
    if (codeOfStream(stream) === ExitCode.Satisfied) continue;
    if (failure !== null) out(`${visibleLine(name)}: ${visibleLine(failure)}`);
    else if (known !== null)
      out(visibleLine(`${name}: ${conclusion(ending ?? 'interrupted', known).replaceAll('\n', ' ')}`));
  }
  const holding = streams.filter((stream) => codeOfStream(stream) === ExitCode.Satisfied).length;
  if (holding > 0) out(`Every watched level holds in ${count(holding, 'stream')}.`);
}

/** Streams of the report: without those that had ended earlier, unless their input was refused. */
const judged = (all: Streams['all']): Stream[] =>
  [...all.values()].filter(({ hadEnded, failure }) => !hadEnded || failure !== null);

/** Worst exit code of all streams; unknown if there are none. */
function codeOfMany({ all }: Streams): number {
  const codes = judged(all).map(codeOfStream);
  return codes.length === 0 ? ExitCode.Unknown : codes.reduce(worseOf);
}

function codeOfStream({ ending, failure, status }: Stream): number {
  if (status !== null && Object.values(status.levels).includes('violated')) return ExitCode.Violated;
  if (failure !== null) return ExitCode.Failed;
  return status === null ? ExitCode.Unknown : codeOfWatch(ending ?? 'interrupted', status);
}
