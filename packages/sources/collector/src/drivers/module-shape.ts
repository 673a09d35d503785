import type { DataKind, Isolation } from '../database/database.ts';
import type { WorkloadRow } from '@isolab/workloads';
import { findLevel } from '@isolab/contract';
import { spelled } from '../database/answers.ts';
import { DIALECTS, type DialectName } from './dialects.ts';

type Maybe<T> = T | Promise<T>;

/**
 * Default export of a user's module, see docs/drivers.md. Errors that a method throws may have an `outcome`: 'aborted'
 * where the database rolled the transaction back, 'lost' where the connection is lost. Any other error is a setup error
 * and ends the collection.
 */
export interface DriverModule {
  readonly title: string;
  /** Names of the database's levels, weakest first, each with the level that it claims to provide. */
  readonly isolations: Readonly<Record<string, string>>;
  /** Kinds of data that the database supports; all if absent beside a dialect. */
  readonly data?: readonly DataKind[];
  /** SQL dialect. With it, isolab writes all statements, and sessions need only `sql` besides transactions. */
  readonly dialect?: DialectName;
  open(given: {
    /** Options after the question mark of the address. */
    readonly options: Readonly<Record<string, string>>;
    /** Statements for the start of every session. */
    readonly sessionSetup: readonly string[];
    /** Lock timeout, where the module can set it; one second if absent. */
    readonly lockWaitMs?: number;
  }): Maybe<ModuleDatabase>;
}

export interface ModuleDatabase {
  readonly description?: string;
  /** Whether its data disappear when it is closed. */
  readonly isTemporary?: boolean;
  /**
   * Empties the keys of this kind of data, or keeps them. With a dialect, the statements do that. Without one, they
   * create the workload's tables, and registers exist beside them.
   */
  prepare(data: DataKind, keep: boolean, statements: readonly string[]): Maybe<void>;
  connect(isolation: string): Maybe<ModuleSession>;
  close?(): Maybe<void>;
}

/** Session of one client. A module needs only the methods for its kinds of data. */
export interface ModuleSession {
  begin(): Maybe<void>;
  commit(): Maybe<void>;
  rollback(): Maybe<void>;
  close?(): Maybe<void>;
  read?(key: number | string): Maybe<number | null>;
  write?(key: number | string, value: number): Maybe<void>;
  compareAndSet?(key: number | string, expected: number | null, value: number): Maybe<boolean>;
  readList?(key: number | string): Maybe<readonly number[]>;
  append?(key: number | string, value: number): Maybe<void>;
  /** Adds to the number of a key, which is 0 at first. */
  increment?(key: number | string, value: number): Maybe<void>;
  insert?(key: number | string, value: number): Maybe<readonly WorkloadRow[]>;
  delete?(key: number | string, value: number): Maybe<readonly WorkloadRow[]>;
  range?(low: number, high: number): Maybe<readonly WorkloadRow[]>;
  /**
   * Sends a SQL statement with values for $1, $2 and so on, and returns rows as objects with a member per column.
   * Needed for tables and for `isolab hermitage`.
   */
  sql?(statement: string, values: readonly unknown[]): Maybe<readonly Readonly<Record<string, unknown>>[]>;
  /** Statement that begins a transaction at the level of the session; `BEGIN` if absent. */
  readonly beginsWith?: string;
}

/** Description of a module that is not open yet. */
export interface Described {
  readonly title: string;
  readonly isolations: readonly Isolation[];
  readonly data: readonly DataKind[];
  readonly dialect: DialectName | null;
}

/** Returns the description, or the problem in it: the value found and the value expected. */
export function describedBy(raw: unknown): Described | string {
  const {
    title,
    isolations,
    dialect = null,
    data = dialect === null ? undefined : DATA,
  } = raw as Readonly<Record<string, unknown>>;
  if (typeof title !== 'string' || title.trim() === '') return `its title is ${spelled(title)}, expected a name`;
  if (typeof isolations !== 'object' || isolations === null || Object.keys(isolations).length === 0)
    return `its isolations are ${spelled(isolations)}, expected names with the levels that they claim: {"serializable":"serializable"}`;
  const levels: Isolation[] = [];
  for (const [name, claims] of Object.entries(isolations)) {
    const level = typeof claims === 'string' ? findLevel(claims)?.level : undefined;
    if (level === undefined)
      return `its isolation ${spelled(name)} claims ${spelled(claims)}, expected a level as isolab list levels lists them`;
    levels.push({ name, claims: level.name });
  }
  const isData = Array.isArray(data) && data.length > 0 && data.every((kind) => DATA.includes(kind as DataKind));
  if (!isData) return `its data are ${spelled(data)}, expected some of ${spelled(DATA)}`;
  if (dialect !== null && !Object.hasOwn(DIALECTS, String(dialect)))
    return `its dialect is ${spelled(dialect)}, expected one of ${Object.keys(DIALECTS).join(', ')}`;
  return { title, isolations: levels, data: data as DataKind[], dialect: dialect as DialectName | null };
}

const DATA: readonly DataKind[] = ['registers', 'counters', 'lists', 'rows', 'tables'];
