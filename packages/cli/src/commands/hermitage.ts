import {
  type Database,
  type Driver,
  DEFAULT_CONNECT_MS,
  Interrupted,
  driverFor,
  isolationNamed,
} from '@isolab/collector';
import { orNearest } from '@isolab/contract';
import { isEngineAddress } from '@isolab/engines';
import { writeFileTo } from '@isolab/formats';
import {
  CASES,
  type Case,
  type Claiming,
  LOCK_WAIT_MS,
  type Report,
  checkClaims,
  differencesFrom,
  hermitage as play,
  overview,
  pages,
  publishedOf,
  remarks,
  tableRows,
  transcriptLines,
} from '@isolab/hermitage';
import { join } from 'node:path';
import { ExitCode, UsageError } from '../exit.ts';
import { parseTime } from '../limits.ts';
import { type CommandModule, CONNECT_TIMEOUT, option, repeated } from '../options.ts';
import { type Printer, table, toJson } from '../print.ts';
import { fetchingLine, progressLine } from '../progress.ts';
import { makeFolder } from '../targets.ts';

export interface HermitageFlags {
  readonly db: string;
  readonly isolation: readonly string[];
  readonly case: readonly string[];
  readonly wait: string;
  readonly sessionSetup: readonly string[];
  readonly out?: string;
  readonly force?: boolean;
  readonly connectTimeout?: string;
  readonly output: string;
}

export const command: CommandModule = {
  usage: 'hermitage',
  summary:
    'show which anomalies a SQL database lets happen at each of its isolation levels, with the statements that show it',
  options: [
    option(
      '--db <address>',
      'connect to embedded, postgres@VERSION or another engine, postgres://…, mysql://…, sqlite:FILE, duckdb:FILE, module:FILE; it must take SQL',
      'embedded',
    ),
    repeated('--isolation <level>', 'try only this level, by the database’s own name; all if absent'),
    repeated('--case <name>', 'play only this case, such as G2-item, and print its statements'),
    option('--wait <time>', 'take a statement without an answer after this time for waiting', '250ms'),
    repeated('--session-setup <sql>', 'begin every session with this statement'),
    option('--out <folder>', 'write the table, all statements with their answers, and the data into this folder'),
    option('--force', 'write into a folder that is not empty'),
    CONNECT_TIMEOUT,
  ],
  outputs: ['markdown'],
  run: hermitage,
};

/** `isolab hermitage`: the table of anomalies by isolation level. */
export async function hermitage(flags: HermitageFlags, printer: Printer): Promise<number> {
  const cases = flags.case.length === 0 ? CASES : flags.case.map(caseNamed);
  const waitMs = parseTime(flags.wait, '--wait');
  if (waitMs < 20 || waitMs > 10_000) throw new UsageError(`--wait takes a time from 20ms to 10s, not ${flags.wait}.`);
  const connectMs =
    flags.connectTimeout === undefined ? DEFAULT_CONNECT_MS : parseTime(flags.connectTimeout, '--connect-timeout');
  const driver = await driverFor(flags.db);
  const asked = flags.isolation.filter((word) => !DIRTY.test(word)).map((word) => isolationNamed(driver, word));
  if (flags.out !== undefined) makeFolder(flags.out, { inputs: [], force: flags.force });

  const fetching = fetchingLine(printer);
  const line = progressLine((done, of) => `${done} of ${of} cells`);
  const report = await printer
    .interruptible(async (signal) => {
      const { sessionSetup } = flags;
      const limits = { connectMs, signal, sessionSetup, lockWaitMs: LOCK_WAIT_MS, onFetch: fetching.hear };
      const database = await driver.open(flags.db, limits);
      fetching.clear();
      try {
        const levels = levelsOf(driver, database, flags.isolation, asked);
        if (database.nodes) printer.note('All sessions are at the first node.');
        const engine = isEngineAddress(flags.db) ? { engine: flags.db } : {};
        return await play(database, { levels, cases, waitMs, ...engine, signal, onCell: line.show });
      } finally {
        await database.close();
      }
    })
    .catch((error: unknown) => {
      if (error instanceof Interrupted) return null;
      throw error;
    })
    .finally(line.clear);
  if (report === null) {
    printer.note('Interrupted before anything was played.');
    return ExitCode.Unknown;
  }

  if (flags.out !== undefined)
    for (const [name, text] of pages(report, CASES)) await writeFileTo(join(flags.out, name), text);
  print(report, flags, printer);
  const isUnknown = report.levels.some(({ cells }) => cells.some(({ outcome }) => outcome === 'unknown'));
  return isUnknown ? ExitCode.Unknown : ExitCode.Satisfied;
}

/** The levels of which no history is recorded. */
const DIRTY = /^read[\s_-]+uncommitted$/i;

/** What is asked for, or all levels, the weakest first. */
function levelsOf(
  { isolations, title }: Driver,
  { dirtyIsolations = [] }: Database,
  words: readonly string[],
  asked: readonly Claiming[],
): readonly Claiming[] {
  const dirty = dirtyIsolations.map((name): Claiming => ({ name, claims: null }));
  if (words.length === 0) return [...dirty, ...isolations];
  const wantsDirty = words.some((word) => DIRTY.test(word));
  if (wantsDirty && dirty.length === 0)
    throw new UsageError(
      `${title} has no isolation level read uncommitted; expected one of ${isolations.map(({ name }) => name).join(', ')}.`,
    );
  return [...(wantsDirty ? dirty : []), ...asked];
}

function caseNamed(word: string): Case {
  const found = CASES.find(({ name }) => name.toLowerCase() === word.toLowerCase());
  if (found) return found;
  const names = CASES.map(({ name }) => name);
  throw new UsageError(`There is no case ${word}; ${orNearest(word, names)}expected one of ${names.join('; ')}.`);
}

function print(report: Report, flags: HermitageFlags, printer: Printer): void {
  if (flags.output === 'json') return printer.out(toJson(jsonOf(report)));
  if (flags.output === 'markdown') return printer.out(overview(report, CASES, false).trimEnd());
  printer.out(`${report.database}\n`);
  printer.out(table(tableRows(report, CASES), ''));
  if (flags.case.length > 0)
    for (const { name, cells } of report.levels)
      for (const cell of cells)
        printer.out(`\n${cell.case} at ${name.toUpperCase()}, ${transcriptLines(cell).join('\n')}`);
  printer.out(`\n${remarks(report, CASES).join('\n')}`);
  if (flags.out !== undefined) printer.out(`\n${flags.out}: ${[...pages(report, CASES).keys()].join(', ')}`);
  else if (flags.case.length === 0) printer.note('--out FOLDER writes all statements and their answers.');
}

function jsonOf(report: Report): object {
  const published = publishedOf(report.database);
  return {
    ...report,
    claims: report.levels.map((level) => checkClaims(level, CASES)),
    published:
      published === null
        ? null
        : { of: published.of, source: published.source, differences: differencesFrom(published, report) },
  };
}
