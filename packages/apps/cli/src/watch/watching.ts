import { decidedAs, definitionOf, eachLevel, visibleLine } from 'isolab/skin';
import { unsupportedIn } from 'isolab/levels';
import { type LevelName, LEVELS } from 'isolab/check';
import type { FolderClaim, Ending, StreamOptions, WatchStatus } from '@isolab/watch';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { parseMemory, parseTime } from '../terminal/limits.ts';
import {
  type CommandFlags,
  FOR,
  LEVEL,
  OUT_FOLDER,
  QUEUE,
  RESUME,
  TIME,
  choice,
  option,
  until,
} from '../terminal/options.ts';
import { type Printer, count } from '../terminal/print.ts';
import { levelAsked, wholeNumber } from '../terminal/words.ts';

export const OPTIONS = [
  LEVEL('check these levels, separated by commas'),
  OUT_FOLDER('keep log, alarms and checkpoint in FOLDER; FILE.watch if absent'),
  RESUME('continue the stream in the folder; files and Redis always continue'),
  option('--by-stream', 'assign each line to the stream in its first field: {"stream":"eu",…}'),
  QUEUE('share the streams with machines given the same arguments:'),
  option('--horizon <bounds>', 'give up on data later than N transactions or this time', '10000,60s'),
  option('--batch <n>', 'check at most N transactions at a time', '40000'),
  choice('--values <kind>', 'declare whether values may repeat', 'auto', 'repeated'),
  option('--recheck <n>', 'read up to N forgotten transactions from the log again', '1000000'),
  option('--keep <bounds>', 'delete older segments of the log: 20GB, 7d, or both'),
  FOR('end after this time: 60s, 10m, 2h'),
  until('end at the first alarm, or at the end of the file', 'end'),
  option('--interval <time>', 'print the status at this interval', '5s'),
  TIME('limit the time of each check', '60s'),
  option('--page <address>', 'serve a live page, and /metrics, at HOST:PORT'),
  option('--hook <url>', 'post each alarm to URL, as JSON'),
] as const;
export type WatchFlags = CommandFlags<typeof OPTIONS>;

/** Options for watching one stream. */
export function watchOptions(flags: WatchFlags, printer: Printer): StreamOptions {
  return {
    levels: watchedLevels(flags.level, printer),
    horizon: horizonOf(flags.horizon),
    batch: { transactions: wholeNumber('--batch', flags.batch), bytes: 12_000_000, ms: 250 },
    values: flags.values,
    mostReopened: wholeNumber('--recheck', flags.recheck),
    timeMs: parseTime(flags.time),
    keep: flags.keep === undefined ? null : keepOf(flags.keep),
    onNote: (text) => printer.note(visibleLine(text)),
  };
}

function keepOf(text: string): { readonly bytes: number; readonly ms: number } {
  let bytes = Infinity;
  let ms = Infinity;
  for (const part of text.split(','))
    if (/B$/i.test(part)) bytes = parseMemory(part, '--keep');
    else ms = parseTime(part, '--keep');
  return { bytes, ms };
}

function horizonOf(text: string): { readonly transactions: number; readonly ms: number } {
  let transactions = Infinity;
  let ms = Infinity;
  for (const part of text.split(','))
    if (/^\d+$/.test(part)) transactions = wholeNumber('--horizon', part);
    else ms = parseTime(part, '--horizon');
  return { transactions, ms };
}

/** Parses level names separated by commas. */
export const watchedLevels = (words: string | undefined, printer: Printer): LevelName[] =>
  words === undefined
    ? [levelAsked(undefined).level.name]
    : [...new Set(words.split(',').map((word) => levelOf(word.trim(), printer)))];

function levelOf(word: string, printer: Printer): LevelName {
  const { level, warning } = levelAsked(word);
  if (warning !== null) printer.note(warning);
  const decided = decidedAs(level.name);
  if (LEVELS.some(({ name }) => name === decided)) return decided;
  const undecided = unsupportedIn(definitionOf(decided)!);
  if (undecided !== null)
    throw new UsageError(`${word} cannot be watched, because no checker can decide it: ${undecided.problem}`);
  printer.note(
    `${decided} needs the whole stream in memory; its checks take a tenth of the time, and the last one follows at the end.`,
  );
  return decided;
}

export function alarmLine(alarm: WatchStatus['alarms'][number], stream: string | null = null): string {
  const { number, level, line, anomalies, sentence, files } = alarm;
  const told = `ALARM ${number}${stream === null ? '' : ` of ${stream}`}: ${level} is violated at line ${line} (${anomalies.join(', ')}). ${sentence}`;
  return `${told} ${files === null ? 'The evidence could not be written.' : `See ${files.story}`}`;
}

/** Address of the page: `PORT` or `HOST:PORT`. */
export function pageAddress(text: string): URL {
  const [, host = '127.0.0.1', port] = /^(?:([^:/]+):)?(\d+)$/.exec(text) ?? [];
  if (port === undefined) throw new UsageError(`--page is ${text}; expected PORT or HOST:PORT.`);
  return new URL(`http://${host}:${port}/`);
}

/** Claims the folder of incoming lines, which come from this source unless the user has said to continue with them. */
export function claimFor(
  words: readonly string[],
  flags: WatchFlags,
  note: (text: string) => void,
  { beginsAnew, claim, isPattern, sourceAddress, sourceIdentity }: typeof import('@isolab/watch'),
): FolderClaim {
  const [word] = words as readonly [string];
  const address = sourceAddress(word);
  const isSingleFile = address.kind === 'file' && words.length === 1 && !isPattern(word);
  const claimed = claim({
    folder: flags.out ?? (isSingleFile ? `${word}.watch` : null),
    source: sourceIdentity(address, flags.byStream === true),
    way: beginsAnew(address) ? 'compare' : flags.resume ? 'resume' : 'begin',
  });
  if (flags.out === undefined && claimed.folder !== 'isolab.watch' && !isSingleFile)
    note(`This stream is stored in ${claimed.folder}; the earlier folders belong to other streams.`);
  return claimed;
}

const ENDINGS: Readonly<Record<Ending, string>> = {
  ended: 'The stream has ended.',
  'cut off': 'The stream was cut off; its end may be missing.',
  interrupted: 'Interrupted.',
};

/** Final report; `why` is the reason for the end, unless it was an interruption. */
export function conclusion(
  ending: Ending,
  { transactions, levels, whyUndecided, believed, late, lateWriters, duplicates, scans, alarms }: WatchStatus,
  why: string | null = null,
): string {
  const told = eachLevel(levels).map(([level, standing]) => {
    if (standing === 'stands')
      return ending === 'ended' && scans === 0
        ? `${level} holds.`
        : `${level} is not violated so far; ${scans === 0 ? 'the stream did not end' : 'scans were checked only in part'}, so there is no verdict.`;
    return standing === 'violated' ? `${level} is VIOLATED.` : `${level} is undecided: ${whyUndecided[level]}.`;
  });
  return [
    `${ending === 'interrupted' && why !== null ? why : ENDINGS[ending]} ${transactions.toLocaleString('en-US')} ${transactions === 1 ? 'transaction' : 'transactions'}, ${count(alarms.length, 'alarm')}.`,
    ...told,
    ...(believed > 0
      ? [`${count(believed, 'read')} of forgotten data could not be checked; run isolab check on the log.`]
      : []),
    ...(scans > 0
      ? [`Only the returned rows of ${count(scans, 'scan')} were checked; run isolab check on the log.`]
      : []),
    ...(lateWriters > 0
      ? [
          `${count(lateWriters, 'writer')} arrived after their readers by more than the horizon; use a longer --horizon.`,
        ]
      : []),
    ...(duplicates > 0
      ? [`${count(duplicates, 'line')} came twice and ${duplicates === 1 ? 'was' : 'were'} counted once.`]
      : []),
    ...(late > 0 ? [`${count(late, 'transaction')} arrived later than the horizon allows.`] : []),
  ].join('\n');
}

export function codeOfWatch(ending: Ending, { levels, believed, late, scans, transactions }: WatchStatus): number {
  const standings = Object.values(levels);
  if (standings.includes('violated')) return ExitCode.Violated;
  const isSure = ending === 'ended' && believed === 0 && late === 0 && scans === 0 && transactions > 0;
  return isSure && standings.every((one) => one === 'stands') ? ExitCode.Satisfied : ExitCode.Unknown;
}
