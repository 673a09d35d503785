import { writeFileTo } from 'isolab/formats';
import { visibleLine } from 'isolab/skin';
import type { JudgedRecording, Recorded } from '@isolab/record';
import type { WatchStatus } from '@isolab/watch';
import { readFileSync } from 'node:fs';
import { ExitCode, UsageError, worseOf } from '../terminal/exit.ts';
import {
  type CommandFlags,
  type CommandModule,
  FORCE,
  TIME,
  TRUST,
  WATCHING,
  option,
  repeated,
  skip,
} from '../terminal/options.ts';
import { runCommand, throughProxy, upstreamOf } from '../terminal/application.ts';
import { claimFiles, filesIn, refuseTextFile, writeJson } from '../terminal/outputs-asked.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { insistOnTarget } from '../terminal/targets.ts';
import { frameworksOf, judgedWith } from '../verdicts/judge-recording.ts';
import { type JudgedWith, aboutOf, tellRecording } from '../verdicts/tell-recording.ts';
import { watchWhile } from '../watch/watch-while.ts';
import { parseOptions, wholeNumber } from '../terminal/words.ts';

const OPTIONS = [
  option('--db <address>', 'forward all connections to postgres://…, mariadb://…, or an engine', 'embedded'),
  option('--listen <address>', 'accept clients at HOST:PORT', '127.0.0.1:6543'),
  option('--redact', 'store hashes instead of values; equal values stay equal'),
  skip('check', 'log', 'callers'),
  TIME('limit the time of each check', '60s'),
  TRUST('log', 'trust the order of versions in the write-ahead log'),
  repeated('--option <name=value>', 'compare with before=FILE; advise for orm=NAME; keep statements=kept'),
  option('--max-rows <n>', 'skip non-matching rows of tables larger than N', '10000'),
  repeated('--tls <key|cert=file>', 'use TLS with clients, with this key and certificate'),
  ...WATCHING,
  FORCE,
] as const;
type RecordFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab record recorded.jsonl -- npm test',
    'isolab record recorded.jsonl --listen 127.0.0.1:6543 --db postgres://me@localhost/test',
  ],
  options: OPTIONS,
  outputs: ['html'],
  hasFiles: true,
  run: record,
};

/** `isolab record`: records an application until it is interrupted or its command ends. */
export async function record(
  path: string,
  words: readonly string[],
  flags: RecordFlags,
  printer: Printer,
): Promise<number> {
  insistOnFlags(path, flags);
  const statements = keepsStatements(flags);
  const listen = addressOf(flags.listen);
  const tls = tlsOf(flags);
  const { startRecord } = await import('@isolab/record');
  const frameworks = await frameworksOf(flags);
  const watching = flags.watch === undefined ? null : await watchWhile(path, flags, printer);
  const database = await upstreamOf(flags.db);
  try {
    const running = await startRecord({
      upstream: database.url,
      path,
      listen,
      tls,
      redact: flags.redact === true,
      mostRows: wholeNumber('--max-rows', flags.maxRows),
      log: !flags.skip.includes('log'),
      statements,
      ...(flags.trust === 'log' && { trust: flags.trust }),
      onProblem: (problem) => printer.note(visibleLine(problem)),
      onWritten: async () => void (await watching?.end()),
    });
    watching?.begin();
    if (running.withoutLog !== null) printer.note(visibleLine(running.withoutLog));
    const url = throughProxy(database.url, listen.host, running.port);
    // A server that isolab started has a password that no other program knows; a started command gets it in its
    // environment.
    const shown = database.isOurs && words.length === 0 ? url : withoutPassword(url);
    printer.note(`Recording. Connect the application to ${visibleLine(shown)}`);
    printer.takesItsTime?.();
    const code = await printer.interruptible((interrupted) =>
      words.length > 0
        ? runCommand(words, url, { tellsCallers: !flags.skip.includes('callers'), output: 'inherit', interrupted })
        : untilInterrupted(interrupted),
    );
    const recorded = await running.finish();
    const watched = watching && (await watching.end());
    const result = flags.skip.includes('check') ? null : await judgedWith(recorded, flags, frameworks);
    await report({ recorded, result, code, watched: watched?.status, words }, flags, printer);
    return [
      result ? exitCodeOf(result.judged) : ExitCode.Satisfied,
      watching ? codeOfAlarms(watched?.status) : ExitCode.Satisfied,
      code === 0 ? ExitCode.Satisfied : ExitCode.Failed,
      recorded.transactions === 0 ? ExitCode.Unknown : ExitCode.Satisfied,
    ].reduce(worseOf);
  } finally {
    await watching?.end();
    await database.end();
  }
}

interface Ended {
  readonly recorded: Recorded;
  readonly result: JudgedWith | null;
  /** The exit code of the command. */
  readonly code: number;
  readonly watched: WatchStatus | undefined;
  readonly words: readonly string[];
}

async function report(
  { recorded, result, code, watched, words }: Ended,
  flags: RecordFlags,
  printer: Printer,
): Promise<void> {
  const page = pageOf(flags);
  if (result && page !== undefined) {
    const { reportPage } = await import('@isolab/record');
    const about = await aboutOf(recorded.path, words);
    await writeFileTo(page, await reportPage(recorded, result.judged, result.possible, about));
  }
  const json = asJson(recorded, result, code, watched);
  await writeJson(json, flags);
  if (flags.output === 'json') printer.out(json);
  else {
    if (watched) printer.out(watchedLine(watched));
    await tellRecording(recorded, result, printer);
  }
  if (page !== undefined) printer.note(`The page is ${visibleLine(page)}.`);
  if (code !== 0) printer.note(`The command ended with exit code ${code}.`);
  if (recorded.transactions === 0)
    printer.note('No transaction was recorded. Does the application use the address above? It is in DATABASE_URL.');
}

function insistOnFlags(path: string, flags: RecordFlags): void {
  insistOnTarget(path, { inputs: [], force: flags.force });
  const page = pageOf(flags);
  if (flags.output === 'html') throw new UsageError('--output html lacks a file name; expected html=FILE.');
  refuseTextFile(flags);
  if (page !== undefined && flags.skip.includes('check'))
    throw new UsageError('--output html shows the results of the check; leave out --skip check.');
  claimFiles(flags.files ?? [], { inputs: [path], force: flags.force });
  if (flags.trust !== undefined && (flags.trust !== 'log' || flags.skip.includes('log')))
    throw new UsageError(`--trust is ${flags.trust}; expected log, and no --skip log.`);
  if (/^(mysql|mariadb)/.test(flags.db)) {
    const { watch, trust, skip: skipped, tls } = flags;
    const refused = {
      '--watch': watch,
      '--trust': trust,
      '--skip log': skipped.includes('log'),
      '--tls': tls.length > 0,
    };
    const [name] = Object.entries(refused).find(([, value]) => value !== undefined && value !== false) ?? [];
    if (name !== undefined)
      throw new UsageError(
        `${name} is for PostgreSQL; the history of MariaDB is written at the end, from its binary log.`,
      );
  }
  if (flags.page !== undefined && flags.watch === undefined)
    throw new UsageError('--page shows the results of --watch; add --watch LEVEL.');
}

/** Returns whether statements are kept with their constants, for `isolab check --db`. */
function keepsStatements({ option: given, redact, db }: RecordFlags): boolean {
  const isKept = parseOptions(given, '--option')['statements'] !== undefined;
  if (isKept && (redact === true || /^(mysql|mariadb)/.test(db)))
    throw new UsageError('--option statements=kept is for PostgreSQL, and keeps the values that --redact removes.');
  return isKept;
}

const pageOf = (flags: RecordFlags): string | undefined => filesIn('html', flags)[0];

/** Number of transactions and alarms while the history was recorded. The final verdict concerns the complete file. */
function watchedLine({ transactions, alarms }: WatchStatus): string {
  return `Checked while recording: ${count(transactions, 'transaction')}, ${count(alarms.length, 'alarm')}.`;
}

function codeOfAlarms(status: WatchStatus | undefined): number {
  if (status === undefined) return ExitCode.Failed;
  return status.alarms.some(({ contestedAt }) => contestedAt === null) ? ExitCode.Violated : ExitCode.Satisfied;
}

function asJson(recorded: Recorded, result: JudgedWith | null, exitCode: number, watched?: WatchStatus): string {
  const { judged, possible, comparison } = result ?? { judged: null, possible: null, comparison: null };
  const troubles = judged?.troubles.map((trouble) => ({ ...trouble, story: undefined }));
  const dangers = possible?.dangers.map(({ name, preventedBy, parties }) => ({
    name,
    preventedBy,
    parties: parties.map(({ program, line, statements }) => ({ name: program.name, line, statements })),
  }));
  return toJson({
    ...recorded,
    unique: undefined,
    command: exitCode,
    ...(watched && { watched }),
    judged: judged && { ...judged, troubles },
    ...(dangers && { possible: dangers }),
    ...(comparison && { compared: comparison }),
  });
}

function exitCodeOf({ verdict, troubles }: JudgedRecording): number {
  if (verdict === 'violated' || troubles.length > 0) return ExitCode.Violated;
  return verdict === 'unknown' ? ExitCode.Unknown : ExitCode.Satisfied;
}

function addressOf(word: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(word) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw new UsageError(`--listen is ${word}; expected an address and a port, such as 127.0.0.1:6543.`);
  return { host: host?.replace(/^\[(.*)\]$/, '$1') ?? '127.0.0.1', port: Number(port) };
}

function tlsOf({ tls }: RecordFlags): { readonly key: string; readonly cert: string } | null {
  if (tls.length === 0) return null;
  const { key, cert } = parseOptions(tls, '--tls');
  if (key === undefined || cert === undefined)
    throw new UsageError('TLS needs both a key and a certificate: --tls key=FILE --tls cert=FILE.');
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  // Drivers also take it from the parameters of an address.
  for (const name of shown.searchParams.keys()) if (/password/i.test(name)) shown.searchParams.set(name, '***');
  return shown.href;
}

const untilInterrupted = (interrupted: AbortSignal): Promise<number> =>
  new Promise((resolve) => interrupted.addEventListener('abort', () => resolve(0)));
