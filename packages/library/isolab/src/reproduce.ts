import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, Isolation } from '@isolab/collector';
import { type LevelName, findLevel } from '@isolab/contract';
import type { History } from '@isolab/history';
import type {
  Account,
  JudgedTrial,
  ReproductionProgress,
  ReproductionOptions as Trying,
  Reproduction,
} from '@isolab/schedules';
import { type CheckOptions, type LevelWord, check, levelNamed } from './check.ts';
import { type Subject, asOpened } from './open.ts';
import type { CheckResult } from './result.ts';
import { shrink } from './shrink.ts';

/** Returns whether a text begins like a schedule that `reproduce` wrote, rather than like a history. */
export const isSchedule = (head: string): boolean => /^\s*\{\s*"isolab":\s*"schedule"/.test(head);

export interface ReplayOptions {
  /** Address of the database, or of several nodes of one database. */
  readonly database: string | readonly string[];
  /** The database's name of an isolation level; its strongest level if absent. */
  readonly isolation?: string;
  /** Level to violate; the level that the database claims if absent. */
  readonly level?: LevelWord;
  readonly sessionSetup?: readonly string[];
  /** Layout of keys in tables, as in `--layout`. */
  readonly layout?: string;
  readonly connectMs?: number;
  /** Number of trials of a schedule; 20 if absent. */
  readonly trials?: number;
  /** Called between trials; returns whether the trials until now are enough. */
  readonly isEnough?: (hasViolated: boolean) => boolean;
  readonly seed?: string | number;
  /** Existing folder for the schedule as data, a transcript, a specification and a test. */
  readonly to?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ReproductionProgress) => void;
}

export interface ReproduceOptions
  extends ReplayOptions, Pick<CheckOptions, 'checker' | 'timeMs' | 'memoryBytes' | 'steps'> {
  /** Number of other interleavings to try if the plain schedule shows no violation; 100 if absent. */
  readonly tries?: number;
}

/** Result of an attempt to reproduce a violation. */
export interface Reproduced extends Reproduction {
  readonly level: LevelName;
  readonly isolation: Isolation;
  /** Name and version that the database reports. */
  readonly database: string;
  /** Sentence that states how often the violation occurred. */
  readonly result: string;
  /** Paths of the written files, and the schedule as data with its expected and observed results. */
  readonly files: readonly string[];
  readonly data: object;
}

/** Result if the history does not violate the level, so that there was nothing to try. */
export interface NothingToReproduce {
  readonly how: 'nothing';
  readonly level: LevelName;
  readonly result: CheckResult;
}

/**
 * Shrinks a violation, runs its statements on a database as a schedule, and counts how often the new histories violate
 * the level.
 */
export async function reproduce(given: Subject, options: ReproduceOptions): Promise<Reproduced | NothingToReproduce> {
  const subject = asOpened(given);
  const { isolation, level } = await target(options);
  const { checker, timeMs, memoryBytes, steps, signal, tries = 100 } = options;
  const engine = {
    ...(checker !== undefined && { checker }),
    ...(timeMs !== undefined && { timeMs }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(steps !== undefined && { steps }),
    ...(signal && { signal }),
  };
  if (subject.prepared.history.scans.tables.length > 0) {
    const { CollectorError } = await import('@isolab/collector');
    throw new CollectorError('The history has tables and scans, which schedules do not support yet.');
  }
  const result = await check(subject, { ...engine, level });
  if (result.verdict !== 'violated') return { how: 'nothing', level, result };
  const { history } = await shrink(subject, result, engine);
  const { reproduce: tryAgain } = await import('@isolab/schedules');
  return onDatabase(options, isolation, level, (trying) => tryAgain(history, { ...trying, tries }));
}

/** Runs a schedule that `reproduce` wrote earlier, unchanged, and counts how often the level is violated. */
export async function replay(text: string, options: ReplayOptions & { readonly name?: string }): Promise<Reproduced> {
  const { readSchedule, replay: runAgain } = await import('@isolab/schedules');
  const { schedule, load, level: violated } = readSchedule(text, options.name ?? 'a schedule');
  const { isolation, level } = await target({ ...options, level: options.level ?? violated });
  return onDatabase(options, isolation, level, (trying) => runAgain(schedule, { ...trying, load }));
}

/** Database and level for a replay; a file names the level in words. */
interface ReplayTarget extends Pick<ReplayOptions, 'database' | 'isolation'> {
  readonly level?: string;
}

interface Target {
  readonly isolation: Isolation;
  readonly level: LevelName;
}

async function target({ database, isolation: name, level }: ReplayTarget): Promise<Target> {
  const { CollectorError, driverFor, isolationNamed } = await import('@isolab/collector');
  const [address] = [database].flat();
  if (address === undefined) throw new CollectorError('The address of a database is missing.');
  const driver = await driverFor(address);
  const isolation = name === undefined ? driver.isolations.at(-1)! : isolationNamed(driver, name);
  return { isolation, level: levelNamed(level ?? isolation.claims) };
}

/** Opens the database, runs the trials, and writes the results. */
async function onDatabase(
  options: ReplayOptions,
  isolation: Isolation,
  level: LevelName,
  tryAgain: (trying: Omit<Trying, 'tries'>) => Promise<Reproduction>,
): Promise<Reproduced> {
  const { DEFAULT_CONNECT_MS, driverFor } = await import('@isolab/collector');
  const { asData, writeFolder } = await import('@isolab/schedules');
  const {
    connectMs = DEFAULT_CONNECT_MS,
    sessionSetup = [],
    trials = 20,
    seed = 1,
    isEnough,
    signal,
    onProgress,
  } = options;
  const folder = mkdtempSync(join(tmpdir(), 'isolab-reproduce-'));
  const nodes: Database[] = [];
  try {
    for (const address of [options.database].flat()) {
      const limits = { connectMs, sessionSetup, ...(signal && { signal }) };
      nodes.push(await (await driverFor(address)).open(address, limits));
    }
    const found = await tryAgain({
      database: nodes[0]!,
      ...(nodes.length > 1 && { nodes }),
      isolation,
      ...(options.layout !== undefined && { layout: options.layout }),
      judge: judgeAt(level),
      trials,
      seed,
      folder,
      ...(isEnough && { isEnough }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
    });
    const account = await accountOf(found, { isolation, level }, nodes[0]!, options.layout);
    const files = options.to === undefined ? [] : writeFolder(options.to, account, nodes[0]!.sql, found.shown.path);
    const { result, database } = account;
    return { ...found, level, isolation, database, result, files, data: asData(account) };
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function accountOf(
  found: Reproduction,
  { isolation, level }: Target,
  { description, sql }: Database,
  layout: string | undefined,
): Promise<Account> {
  const { expectationsOf, scriptOf, sentence } = await import('@isolab/schedules');
  const { schedule, shown, tally, alike, load } = found;
  const { observed, judged } = shown.trial;
  const { title } = findLevel(level)!.level;
  return {
    database: description,
    isolation: isolation.name,
    levelName: level,
    level: title,
    schedule,
    script: await scriptOf(schedule, sql, isolation.name, layout),
    observed,
    expected: await expectationsOf(schedule, observed, judgeAt(level)),
    isViolated: judged.verdict === 'violated',
    ...(layout !== undefined && { layout }),
    tally,
    alike,
    load,
    result: sentence(found, title),
  };
}

/**
 * Returns whether a trial's own history violates the level. A trial that only read, or was refused, violates nothing.
 */
const judgeAt =
  (level: LevelWord) =>
  async (history: History): Promise<JudgedTrial> => {
    const { verdict, reason } = await check(history, { level, timeMs: TRIAL_MS, place: 'thread', allowVacuous: true });
    return { verdict, ...(reason !== null && { why: reason }) };
  };

const TRIAL_MS = 10_000;
