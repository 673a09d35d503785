import { CollectorError, type Database } from '@isolab/collector';
import { Interrupted } from '@isolab/engines';
import type { LevelName } from '@isolab/contract';
import type { Case } from './case.ts';
import { type Cell, decide } from './cell.ts';
import { LOCK_WAIT_MS, type Setting, play } from './play.ts';

/** An isolation level of the database, with what it claims in isolab's terms; null where that is less than any of them. */
export interface Claiming {
  readonly name: string;
  readonly claims: LevelName | null;
}

/** All that a run found out. */
export interface Report {
  readonly format: typeof FORMAT;
  readonly version: 1;
  /** Name and version, as it says them. */
  readonly database: string;
  /** After how long without an answer a statement was taken for waiting. */
  readonly waitMs: number;
  readonly levels: readonly LevelReport[];
}

export interface LevelReport extends Claiming {
  /** What every session began with. */
  readonly session: readonly string[];
  readonly cells: readonly Cell[];
}

export interface RunOptions {
  readonly levels: readonly Claiming[];
  readonly cases: readonly Case[];
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  onCell?(done: number, of: number): void;
}

export const FORMAT = 'isolab-hermitage';
export { LOCK_WAIT_MS };

/** Plays every case at every level. What is interrupted is unknown. */
export async function hermitage(database: Database, options: RunOptions): Promise<Report> {
  const { levels, cases, waitMs } = options;
  const reports: LevelReport[] = [];
  let done = 0;
  for (const level of levels) {
    const session = await sessionAt(database, level.name);
    const cells: Cell[] = [];
    for (const each of cases) {
      cells.push(await cellOf({ case: each, database, isolation: level.name }, options));
      options.onCell?.(++done, levels.length * cases.length);
    }
    reports.push({ ...level, session, cells });
  }
  return { format: FORMAT, version: 1, database: database.description, waitMs, levels: reports };
}

/** A case that did not overlap as it should, as the machine was slow, is played again, more slowly. */
async function cellOf(setting: Setting, { waitMs, signal }: RunOptions): Promise<Cell> {
  const watched = signal === undefined ? {} : { signal };
  try {
    for (let times = 1; ; times *= 2) {
      const cell = decide(setting.case, await play(setting, { waitMs: times * waitMs, ...watched }));
      if (cell.outcome !== 'unknown' || times >= MOST_TIMES) return cell;
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return { case: setting.case.name, outcome: 'unknown', by: null, why: ['interrupted'], sent: [] };
  }
}

const MOST_TIMES = 4;

/** What a session of that level begins with; fails where the database takes no SQL. */
async function sessionAt(database: Database, isolation: string): Promise<readonly string[]> {
  const connection = await database.connect({ name: isolation });
  try {
    if (connection.sql) return connection.sql.session;
    throw new CollectorError(
      `${database.description} takes no SQL from isolab; expected PostgreSQL, MySQL, MariaDB, SQLite, DuckDB, PGlite, libSQL, Turso or a module with a method sql.`,
    );
  } finally {
    await connection.close();
  }
}
