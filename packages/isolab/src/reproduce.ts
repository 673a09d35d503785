import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LevelName } from '@isolab/contract';
import type { Database, Driver, Isolation } from '@isolab/collector';
import type { History } from '@isolab/history';
import type { Judged, Progress, Reproduction } from '@isolab/reproduce';
import { type CheckOptions, type LevelWord, check, levelNamed } from './check.ts';
import type { Opened } from './open.ts';
import type { CheckResult } from './result.ts';
import { shrink } from './shrink.ts';

export interface ReproduceOptions extends Pick<CheckOptions, 'checker' | 'timeMs' | 'memoryBytes' | 'steps'> {
  /** The database; several: nodes of one. */
  readonly database: string | readonly string[];
  /** The database's own name of a level; its strongest one unless given. */
  readonly isolation?: string;
  /** The level that is to be violated; unless given, what the isolation claims. */
  readonly level?: LevelWord;
  readonly sessionSetup?: readonly string[];
  readonly connectMs?: number;
  /** How often a schedule is tried: 20 unless given. */
  readonly trials?: number;
  /** How many other interleavings are tried where the plain schedule shows nothing: 200 unless given. */
  readonly tries?: number;
  readonly seed?: string | number;
  /** Where the histories of trials go; unless given, a temporary folder that is removed. */
  readonly folder?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A violation that was tried again, and what came of it. */
export interface Reproduced extends Reproduction {
  readonly level: LevelName;
  readonly isolation: Isolation;
  /** The name and the version of the database, as it says them. */
  readonly database: string;
  readonly driver: Driver;
}

/** Why nothing was tried: the history does not violate the level. */
export interface NothingToReproduce {
  readonly how: 'nothing';
  readonly level: LevelName;
  readonly result: CheckResult;
}

/**
 * Shrinks a violation, puts its statements to a database as a schedule, and counts how often a fresh history violates the
 * level again.
 */
export async function reproduce(subject: Opened, options: ReproduceOptions): Promise<Reproduced | NothingToReproduce> {
  const { CollectorError, DEFAULT_CONNECT_MS, driverFor, isolationNamed } = await import('@isolab/collector');
  const { reproduce: tryAgain } = await import('@isolab/reproduce');
  const addresses = [options.database].flat();
  if (addresses.length === 0) throw new CollectorError('There is no address of a database.');
  const driver = await driverFor(addresses[0]!);
  const isolation =
    options.isolation === undefined ? driver.isolations.at(-1)! : isolationNamed(driver, options.isolation);
  const level = levelNamed(options.level ?? isolation.claims);
  const { checker, timeMs, memoryBytes, steps, signal } = options;
  const engine = {
    ...(checker !== undefined && { checker }),
    ...(timeMs !== undefined && { timeMs }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(steps !== undefined && { steps }),
  };
  const result = await check(subject, { ...engine, level, ...(signal && { signal }) });
  if (result.verdict !== 'violated') return { how: 'nothing', level, result };
  const { history } = await shrink(subject, result, { ...engine, ...(signal && { signal }) });

  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'isolab-reproduce-'));
  const nodes: Database[] = [];
  const { connectMs = DEFAULT_CONNECT_MS, sessionSetup = [] } = options;
  try {
    for (const address of addresses)
      nodes.push(
        await (await driverFor(address)).open(address, { connectMs, sessionSetup, ...(signal && { signal }) }),
      );
    const reproduced = await tryAgain(history, {
      database: nodes[0]!,
      ...(nodes.length > 1 && { nodes }),
      isolation,
      judge: judgeAt(level),
      trials: options.trials ?? 20,
      tries: options.tries ?? 200,
      seed: options.seed ?? 1,
      folder,
      ...(signal && { signal }),
      ...(options.onProgress && { onProgress: options.onProgress }),
    });
    return { ...reproduced, level, isolation, database: nodes[0]!.description, driver };
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a trial's own history violates the level. A trial that only read, or was refused, violates nothing. */
const judgeAt =
  (level: LevelWord) =>
  async (history: History): Promise<Judged> => {
    const { verdict, unknown } = await check(history, { level, timeMs: TRIAL_MS, place: 'thread', allowVacuous: true });
    const why = Object.values(unknown)[0]?.detail;
    return { verdict, ...(why !== undefined && { why }) };
  };

const TRIAL_MS = 10_000;
