import { visibleLine } from 'isolab/skin';
import type { StreamResults } from '@isolab/watch';
import { tmpdir } from 'node:os';
import { AlarmTeller } from './alarm-teller.ts';
import { Ending } from '../terminal/ending.ts';
import { ExitCode, UsageError, worseOf } from '../terminal/exit.ts';
import { parseTime } from '../terminal/limits.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { type WatchFlags, codeOfWatch, conclusion, pageAddress, watchOptions } from './watching.ts';

/**
 * `isolab watch --queue`: one of several workers that together watch the streams of a pattern until they are
 * interrupted.
 */
export async function watchQueued(
  words: readonly string[],
  flags: WatchFlags & { readonly queue: string },
  printer: Printer,
): Promise<number> {
  const options = watchOptions(flags, printer);
  const watching = await import('@isolab/watch');
  const note = (text: string): void => printer.note(visibleLine(text));
  const address = watching.sourceAddress(words[0]!);
  if (words.length > 1 || address.kind !== 'redis' || flags.byStream || flags.until.includes('end'))
    throw new UsageError(
      'With --queue, the source must be a pattern of streams in Redis, such as redis://HOST:PORT/tenant:*.',
    );
  const end = new Ending(flags);
  const alarms = new AlarmTeller(flags, printer, watching.postAlarm, end.violated);
  const worker = await watching.QueueWorker.open({
    url: flags.queue,
    source: { url: address.url, pattern: address.name },
    options,
    folder: flags.out ?? tmpdir(),
    onAlarm: (stream, alarm) => alarms.tell(alarm, stream),
    onFailure: (stream, why) => note(`${stream} is no longer watched: ${why}`),
  });
  const { streams, statuses } = worker.many;
  const page =
    flags.page === undefined
      ? null
      : await watching.servePage(pageAddress(flags.page), watching.showMany(statuses, streams));
  try {
    if (page !== null) note(`The page of this worker is at ${page.url} and the metrics are at ${page.url}metrics.`);
    const all = await printer.interruptible((signal) =>
      worker.run({
        intervalMs: parseTime(flags.interval, '--interval'),
        signal: end.begin(signal),
        onStatus: (now) =>
          flags.output === 'jsonl' ? printer.out(JSON.stringify({ status: now })) : note(watching.manyLine(now)),
      }),
    );
    await alarms.posted();
    if (end.why !== null) note(end.why);
    tell(all, flags, printer);
    const codes = [...all.results.map(codeOfResult), ...all.failures.map(() => ExitCode.Failed)];
    return codes.reduce(worseOf, codes.length === 0 ? ExitCode.Unknown : ExitCode.Satisfied);
  } finally {
    page?.close();
  }
}

/** Prints the stored results of all streams, from all workers. */
function tell({ results, failures }: StreamResults, flags: WatchFlags, { out }: Printer): void {
  const sorted = results.toSorted((a, b) => (a.stream < b.stream ? -1 : 1));
  if (flags.output === 'json') out(toJson({ results: sorted, failures }));
  else if (flags.output === 'jsonl') {
    for (const result of sorted) out(JSON.stringify({ result }));
    for (const failure of failures) out(JSON.stringify({ failure }));
  }
  if (flags.output !== 'text') return;
  const alarms = sorted.reduce((sum, { status }) => sum + status.alarms.length, 0);
  out(`All workers together: ${count(sorted.length, 'stream')}, ${count(alarms, 'alarm')}.`);
  for (const result of sorted) {
    const { stream, status } = result;
    if (codeOfResult(result) === ExitCode.Satisfied) continue;
    out(visibleLine(`${stream}: ${conclusion(endingOf(result), status).replaceAll('\n', ' ')}`));
  }
  for (const { stream, why } of failures) out(visibleLine(`${stream} is no longer watched: ${why}`));
  const holding = sorted.filter((result) => codeOfResult(result) === ExitCode.Satisfied).length;
  if (holding > 0) out(`Every watched level holds in ${count(holding, 'stream')}.`);
}

const endingOf = ({ status }: StreamResults['results'][number]): 'ended' | 'interrupted' =>
  status.isEnded ? 'ended' : 'interrupted';
const codeOfResult = (result: StreamResults['results'][number]): number => codeOfWatch(endingOf(result), result.status);
