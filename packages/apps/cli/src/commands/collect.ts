import { type Counts, percent, visibleLine } from 'isolab/skin';
import { collect as collectHistory, type Collected } from 'isolab';
import { existsSync } from 'node:fs';
import { faultsAsked } from './faults-asked.ts';
import { contentionAt, contentionLines } from './contention-text.ts';
import { ExitCode, UsageError, worseOf } from '../terminal/exit.ts';
import { Ending } from '../terminal/ending.ts';
import { parseDuration, parseTime } from '../terminal/limits.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { fetchingLine, progressLine } from '../terminal/progress.ts';
import { insistOnTarget } from '../terminal/targets.ts';
import { parseOptions, wholeNumber } from '../terminal/words.ts';
import { type CommandFlags, type CommandModule, COLLECTING, WATCHING, until } from '../terminal/options.ts';
import { codeOfWatch, conclusion } from '../watch/watching.ts';
import { watchWhile } from '../watch/watch-while.ts';

const OPTIONS = [...COLLECTING, ...WATCHING, until('end at the first alarm of --watch')] as const;
export type CollectFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab collect history.jsonl --isolation serializable',
    'isolab collect history.jsonl --db postgres://me@localhost/test --for 1m',
  ],
  options: OPTIONS,
  run: collect,
};

/** `isolab collect`: runs a workload against a database and records the answers. */
export async function collect(path: string, flags: CollectFlags, printer: Printer): Promise<number> {
  insistOnFile(path, flags);
  if (flags.page !== undefined && flags.watch === undefined)
    throw new UsageError('--page shows the results of --watch; add --watch LEVEL.');
  if (flags.until.length > 0 && flags.watch === undefined)
    throw new UsageError('--until violated ends when --watch finds a violation; add --watch LEVEL.');
  // The end of `--for` starts no new transaction; a running one is not cut off.
  const ending = new Ending({ until: flags.until });
  const watching = flags.watch === undefined ? null : await watchWhile(path, flags, printer, ending.violated);
  const onBegun = (): void => watching?.begin();
  const collection = await collected(path, flags, printer, { onBegun, ending }).finally(() => watching?.end());
  const { counts, isolation } = collection;
  const watched = await watching?.end();
  const contention = canBeRead(counts) ? await contentionAt(path) : null;
  if (flags.output === 'json') {
    const { name, claims } = isolation;
    printer.out(toJson({ path, ...counts, isolation: name, claims, contention, ...(watching && { watched }) }));
  } else printer.out(`${visibleLine(path)}: ${summary(counts)}`);
  if (contention && flags.output !== 'json') for (const line of contentionLines(contention, flags)) printer.out(line);
  if (collection.interrupted) printer.note(interruption(collection, ending.why));
  if (watched && flags.output !== 'json') printer.out(conclusion(watched.ending, watched.status));
  const code = collection.interrupted ? ExitCode.Unknown : ExitCode.Satisfied;
  if (!watching) return code;
  return worseOf(code, watched ? codeOfWatch(watched.ending, watched.status) : ExitCode.Failed);
}

/** Returns whether there is a history that can be read in seconds. */
const canBeRead = (counts: Counts): boolean =>
  hasAny(counts) && counts.committed + counts.aborted + counts.unknown <= MOST_READ;

const MOST_READ = 2_000_000;

/** Returns whether anything was recorded. */
export const hasAny = ({ loaded, committed, aborted, unknown }: Counts): boolean =>
  loaded + committed + aborted + unknown > 0;

/** Message about a collection that ended early. */
export const interruption = (
  { counts: { committed, wanted }, canResume }: Collected,
  why: string | null = null,
): string =>
  `${why === null ? 'Interrupted' : why.replace(/\.$/, ',')} after ${committed}${ofWanted(wanted)} transactions. ${
    canResume
      ? '--resume continues it.'
      : 'The data of the embedded server are gone, so the collection cannot be continued.'
  }`;

/** A collection that ends by time has no target number. */
const ofWanted = (wanted: number): string => (Number.isFinite(wanted) ? ` of ${wanted}` : '');

/** Tasks that run beside a collection. */
interface Accompanied {
  /** Called repeatedly once the file exists. */
  readonly onBegun?: () => void;
  readonly ending?: Ending;
}

export async function collected(
  path: string,
  flags: CollectFlags,
  printer: Printer,
  { onBegun, ending }: Accompanied = {},
): Promise<Collected> {
  const sessions = wholeNumber('--sessions', flags.sessions);
  const seconds = flags.for === undefined ? undefined : parseDuration(flags.for, '--for') / 1000;
  const byTime = seconds !== undefined && flags.transactions === undefined;
  const transactions = byTime ? Infinity : wholeNumber('--transactions', flags.transactions ?? '100');
  const connectMs = parseTime(flags.connectTimeout, '--connect-timeout');
  const stallMs = parseTime(flags.stallTimeout, '--stall-timeout');
  insistOnFile(path, flags);
  const faults = await faultsAsked(flags);
  let loaded = 0;
  const line = progressLine((done, wanted) =>
    done === 0 && loaded > 0
      ? `filling the database: ${loaded} transactions`
      : `collecting: ${done}${ofWanted(wanted)} transactions`,
  );
  const fetching = fetchingLine(printer);
  // After an interruption running transactions end; recorded ones stay.
  const collecting = printer.interruptible((signal) =>
    collectHistory({
      database: flags.db,
      ...(flags.isolation !== undefined && { isolation: flags.isolation }),
      workload: flags.workload,
      parameters: parseOptions(flags.set, '--set'),
      sessions,
      transactions,
      ...(seconds !== undefined && { seconds }),
      sessionSetup: flags.sessionSetup,
      ...(flags.layout !== undefined && { layout: flags.layout }),
      finalReads: !flags.skip.includes('final-reads'),
      ...(faults && { faults }),
      seed: flags.seed,
      path,
      resume: flags.resume === true,
      retry: flags.retry === true,
      connectMs,
      stallMs,
      signal: ending ? ending.begin(signal) : signal,
      onFetch: fetching.hear,
      onIsolation: ({ name, warning }) => void (warning && printer.note(`${name}: ${warning}`)),
      onProgress: (now) => {
        fetching.clear();
        onBegun?.();
        ({ loaded } = now);
        if (flags.watch === undefined) line.show(now.committed, now.wanted);
      },
    }),
  );
  return collecting.finally(() => {
    fetching.clear();
    line.clear();
  });
}

function insistOnFile(path: string, flags: CollectFlags): void {
  if (!flags.resume && !flags.force && existsSync(path))
    throw new UsageError(`${path} exists already; --resume continues it, --force starts over.`);
  insistOnTarget(path, { inputs: [], force: true });
  if (flags.resume && !existsSync(path))
    throw new UsageError(`${path} does not exist, so --resume has nothing to continue.`);
}

export function summary({ committed, aborted, unknown, seconds }: Counts): string {
  const parts = [count(committed, 'committed transaction')];
  if (aborted > 0) parts.push(`${aborted} aborted (${percent(aborted / (aborted + committed))})`);
  if (unknown > 0) parts.push(`${unknown} of unknown outcome`);
  return `${parts.join(', ')}, in ${seconds.toFixed(1)} s (${seconds > 0 ? Math.round(committed / seconds) : 0} a second)`;
}
