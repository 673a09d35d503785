import { CollectorError, type Database } from '@isolab/collector';
import { Interrupted } from '@isolab/engines';
import type { LevelName } from '@isolab/contract';
import type { Case } from '../cases/case.ts';
import { type Cell, decide } from './cell.ts';
import { type Setting, play } from './play.ts';

/**
 * An isolation level of the database, with its claim among isolab's levels; null where the claim is weaker than all of
 * them.
 */
export interface Claiming {
  readonly name: string;
  readonly claims: LevelName | null;
}

export interface HermitageReport {
  readonly isolab: 'hermitage';
  readonly version: 1;
  /** Name and version that the database reports. */
  readonly database: string;
  /** Engine that isolab started, with its options; absent for an existing database. */
  readonly engine?: string;
  /** Time without an answer after which a statement counted as waiting. */
  readonly waitMs: number;
  readonly levels: readonly LevelReport[];
}

export interface LevelReport extends Claiming {
  /** Statements at the start of every session. */
  readonly session: readonly string[];
  readonly cells: readonly Cell[];
}

export interface RunOptions {
  readonly levels: readonly Claiming[];
  readonly cases: readonly Case[];
  readonly waitMs: number;
  readonly engine?: string;
  readonly signal?: AbortSignal;
  onCell?(done: number, of: number): void;
}

/** Plays every case at every level. An interrupted case is unknown. */
export async function hermitage(database: Database, options: RunOptions): Promise<HermitageReport> {
  const { levels, cases, waitMs } = options;
  const reports: LevelReport[] = [];
  let done = 0;
  for (const { name, claims } of levels) {
    const session = await sessionAt(database, name).catch((error: unknown) => {
      if (reports.length === 0) throw error;
      return []; // the database is gone, and the cells will report it
    });
    const cells: Cell[] = [];
    for (const each of cases) {
      cells.push(await cellOf({ case: each, database, isolation: name }, options));
      options.onCell?.(++done, levels.length * cases.length);
    }
    reports.push({ name, claims, session, cells });
  }
  const { engine } = options;
  return {
    isolab: 'hermitage',
    version: 1,
    database: database.description,
    ...(engine !== undefined && { engine }),
    waitMs,
    levels: reports,
  };
}

/**
 * A slow machine may look like a lock, and the transactions may then not overlap as intended. If a statement waited and
 * the anomaly was prevented, a second play with more patience must therefore give the same result.
 */
async function cellOf(setting: Setting & { readonly case: Case }, { waitMs, signal }: RunOptions): Promise<Cell> {
  let before = '';
  try {
    for (let times = 1; ; times *= 2) {
      const cell = decide(setting.case, await play(setting, { waitMs: times * waitMs, signal }));
      const course = courseOf(cell);
      const isSure = cell.outcome === 'possible' || (cell.outcome === 'prevented' && ['', before].includes(course));
      if (isSure) return cell;
      if (times >= MOST_TIMES)
        return cell.outcome === 'unknown'
          ? cell
          : { ...cell, outcome: 'unknown', by: null, why: [UNSTEADY, ...cell.why] };
      before = course;
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return { case: setting.case.name, outcome: 'unknown', by: null, why: ['interrupted'], sent: [] };
  }
}

const MOST_TIMES = 4;

const UNSTEADY = 'each run had a different result, perhaps because the machine is too slow';

/** Describes the result and the statements that waited; empty if none did. */
const courseOf = ({ outcome, by, sent }: Cell): string => {
  const waits = sent.filter(({ waited }) => waited).map(({ session, sql }) => `${session}: ${sql}`);
  return waits.length === 0 ? '' : [outcome, by, ...waits].join('\n');
};

/** Returns the statements for the start of a session at a level. Fails if the database does not support SQL. */
export async function sessionAt(database: Database, isolation: string): Promise<readonly string[]> {
  const connection = await database.connect({ name: isolation });
  try {
    if (connection.sql) return connection.sql.session;
    throw new CollectorError(
      `${database.description} does not support SQL from isolab; expected PostgreSQL, MySQL, MariaDB, SQLite, DuckDB, PGlite, libSQL, Turso or a module with a method sql.`,
    );
  } finally {
    await connection.close();
  }
}
