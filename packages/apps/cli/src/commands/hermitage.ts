import { CollectorError, type Database, type Driver, driverFor, isolationNamed } from '@isolab/collector';
import { didYouMean, Interrupted } from 'isolab/skin';
import { FormatError } from 'isolab/check';
import { explainSystemError } from 'isolab/formats';
import { isEngineAddress } from '@isolab/engines';
import {
  CASES,
  type Case,
  type Claiming,
  LOCK_WAIT_MS,
  type OwnReport,
  type HermitageReport,
  hermitage as playCases,
  playTransactions,
  type Transactions,
  readTransactions,
} from '@isolab/schedules';
import { readFileSync } from 'node:fs';
import { tellTable, tellTransactions } from './anomalies.ts';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { parseTime } from '../terminal/limits.ts';
import {
  CONNECT_TIMEOUT,
  type CommandFlags,
  type CommandModule,
  FORCE,
  OUT_FOLDER,
  SCHEDULES,
  SESSION_SETUP,
  option,
  repeated,
} from '../terminal/options.ts';
import type { Printer } from '../terminal/print.ts';
import { fetchingLine, progressLine } from '../terminal/progress.ts';
import { makeFolder } from '../terminal/targets.ts';
import { wholeNumber } from '../terminal/words.ts';

const OPTIONS = [
  option('--db <address>', 'use a database with SQL: ENGINE@VERSION or ADDRESS', 'embedded'),
  repeated('--isolation <level>', 'test only this level, by the database’s name'),
  repeated('--case <name>', 'test only this case, such as G2-item, and print its statements'),
  SCHEDULES('try N schedules of the file at each level', '50'),
  option('--wait <time>', 'treat a statement as waiting after this time', '250ms'),
  SESSION_SETUP,
  OUT_FOLDER('write the table, the statements and the data to FOLDER'),
  FORCE,
  CONNECT_TIMEOUT,
] as const;
export type HermitageFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab hermitage --db postgres@18.4', 'isolab hermitage transactions.sql --db mariadb@11.4.5'],
  options: OPTIONS,
  outputs: ['markdown'],
  run: hermitage,
};

/**
 * `isolab hermitage`: prints the table of anomalies by isolation level, or the effect of levels on the user's own
 * transactions.
 */
export async function hermitage(path: string | undefined, flags: HermitageFlags, printer: Printer): Promise<number> {
  if (path !== undefined && flags.case.length > 0)
    throw new UsageError('--case names one of isolab’s own cases, and a file has its own; give only one of them.');
  const cases = flags.case.length === 0 ? CASES : flags.case.map(caseNamed);
  const most = wholeNumber('--schedules', flags.schedules);
  const waitMs = parseTime(flags.wait, '--wait');
  if (waitMs < 20 || waitMs > 10_000)
    throw new UsageError(`--wait must be a time from 20ms to 10s, not ${flags.wait}.`);
  const transactions = path === undefined ? null : transactionsIn(path);
  const telling = {
    output: flags.output,
    isDetailed: flags.case.length > 0,
    ...(flags.out !== undefined && { out: flags.out }),
  };
  const shared = { waitMs, ...(isEngineAddress(flags.db) && { engine: flags.db }) };

  if (transactions === null) {
    const report = await played<HermitageReport>(flags, printer, 'cells', (database, levels, { signal, show }) =>
      playCases(database, { ...shared, levels, cases, signal, onCell: show }),
    );
    return report === null ? ExitCode.Unknown : tellTable(report, telling, printer);
  }
  const report = await played<OwnReport>(flags, printer, 'schedules', (database, levels, { signal, show }) =>
    playTransactions(database, transactions, { ...shared, levels, most, signal, onSchedule: show }),
  );
  return report === null ? ExitCode.Unknown : tellTransactions(report, telling, printer);
}

function transactionsIn(path: string): Transactions {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new FormatError(path, null, explainSystemError(error as NodeJS.ErrnoException));
  }
  try {
    return readTransactions(text);
  } catch (error) {
    if (!(error instanceof CollectorError)) throw error;
    throw new CollectorError(`${path}: ${error.message}`);
  }
}

interface Watched {
  readonly signal: AbortSignal;
  readonly show: (done: number, of: number) => void;
}

/** Opens the database for a task; returns null if it was interrupted earlier. */
async function played<T>(
  flags: HermitageFlags,
  printer: Printer,
  what: string,
  task: (database: Database, levels: readonly Claiming[], watched: Watched) => Promise<T>,
): Promise<T | null> {
  const connectMs = parseTime(flags.connectTimeout, '--connect-timeout');
  const driver = await driverFor(flags.db);
  const asked = flags.isolation.filter((word) => !DIRTY.test(word)).map((word) => isolationNamed(driver, word));
  if (flags.out !== undefined) makeFolder(flags.out, { inputs: [], force: flags.force });
  const fetching = fetchingLine(printer);
  const line = progressLine((done, of) => `${done} of ${of} ${what}`);
  return printer
    .interruptible(async (signal) => {
      const { sessionSetup } = flags;
      const limits = { connectMs, signal, sessionSetup, lockWaitMs: LOCK_WAIT_MS, onFetch: fetching.hear };
      const database = await driver.open(flags.db, limits);
      fetching.clear();
      try {
        const levels = levelsOf(driver, database, flags.isolation, asked);
        if (database.nodes) printer.note('All sessions are connected to the first node.');
        return await task(database, levels, { signal, show: line.show });
      } finally {
        await database.close();
      }
    })
    .catch((error: unknown) => {
      if (!(error instanceof Interrupted)) throw error;
      printer.note('Interrupted before the first case.');
      return null;
    })
    .finally(line.clear);
}

/** Level without a recorded history. */
const DIRTY = /^read[\s_-]+uncommitted$/i;

/** Requested levels, or all of them, the weakest first. */
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
  throw new UsageError(`There is no case ${word}; ${didYouMean(word, names)}expected one of ${names.join('; ')}.`);
}
