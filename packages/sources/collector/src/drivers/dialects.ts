/** SQL dialects of the databases, by the names that drivers of users state. */
import type { Lock } from '@isolab/workloads';
import { type RowDialect, RETURNING_ROWS } from '../rows/sql-rows.ts';

/** Differences between the SQL databases. */
export interface Dialect extends RowDialect {
  /** Type of a text key; null where a key must be a whole number. */
  readonly text: string | null;
  /** Types of a whole-number key and of a list. */
  readonly integer: string;
  readonly list: string;
  /** Returns the clause after an INSERT that makes it overwrite columns; null where an INSERT cannot do that. */
  readonly upsert: ((key: string, columns: readonly string[]) => string) | null;
  /** Returns the clause after an INSERT that makes it add to the counter `v` of a table. */
  adds(table: string, key: string): string;
  /** Returns the clause after an INSERT that makes it append `,element` to the list `v` of a table. */
  appends(table: string, key: string): string;
  /** Returns an expression for the list `v` with one more element, a parameter. */
  longer(element: string): string;
  /** Clause at the end of an UPDATE that makes it return each changed row. */
  readonly returning: string;
  /** Clauses of locking reads; null where the database has none. */
  readonly locks: Readonly<Record<Lock, string>> | null;
  /** Statement that takes the snapshot at the start of a transaction. */
  readonly snapshot: string;
  /** Returns an expression for a text column that no index matches. */
  bare(column: string): string;
  /** Definition of the indexed column with the length of a list; null where an index can contain expressions. */
  readonly lengthColumn: string | null;
}

/** Parts that dialects share with PostgreSQL. */
const ON_CONFLICT = {
  integer: 'BIGINT',
  list: 'TEXT',
  upsert: (key: string, columns: readonly string[]) =>
    `ON CONFLICT (${key}) DO UPDATE SET ${columns.map((c) => `${c} = EXCLUDED.${c}`).join(', ')}`,
  adds: (table: string, key: string) => `ON CONFLICT (${key}) DO UPDATE SET v = COALESCE(${table}.v, 0) + EXCLUDED.v`,
  appends: (table: string, key: string) =>
    `ON CONFLICT (${key}) DO UPDATE SET v = COALESCE(${table}.v || ',', '') || EXCLUDED.v`,
  longer: (element: string) => `COALESCE(v || ',', '') || ${element}`,
  returning: ' RETURNING k',
  bare: (column: string) => `${column} || ''`,
  lengthColumn: null,
  afterTable: '',
  locks: null,
  snapshot: 'SELECT 1',
  ...RETURNING_ROWS,
};

/** In SQLite, only the type INTEGER makes a primary key the number of its row. */
const SQLITE: Dialect = { ...ON_CONFLICT, parameter: () => '?', text: 'TEXT', integer: 'INTEGER' };

const DUCKDB: Dialect = { ...ON_CONFLICT, parameter: (n) => `$${n}`, text: 'VARCHAR' };

const POSTGRES: Dialect = {
  ...ON_CONFLICT,
  locks: { update: ' FOR UPDATE', share: ' FOR SHARE' },
  parameter: (n) => `$${n}`,
  text: 'TEXT',
  longer: (element) => `COALESCE(v || ',', '') || ${element}::TEXT`,
};

const MYSQL: Dialect = {
  parameter: () => '?',
  text: 'VARCHAR(200)',
  integer: 'BIGINT',
  list: 'TEXT',
  upsert: (_, columns) => `ON DUPLICATE KEY UPDATE ${columns.map((c) => `${c} = VALUES(${c})`).join(', ')}`,
  adds: () => 'ON DUPLICATE KEY UPDATE v = COALESCE(v, 0) + VALUES(v)',
  appends: () => "ON DUPLICATE KEY UPDATE v = CONCAT(COALESCE(CONCAT(v, ','), ''), VALUES(v))",
  longer: (element) => `CONCAT(COALESCE(CONCAT(v, ','), ''), ${element})`,
  returning: '',
  bare: (column) => `CONCAT(${column}, '')`,
  locks: { update: ' FOR UPDATE', share: ' LOCK IN SHARE MODE' },
  // It commits the transaction that has just begun.
  snapshot: 'START TRANSACTION WITH CONSISTENT SNAPSHOT',
  lengthColumn: 'n INT AS (CHAR_LENGTH(v)) STORED',
  afterTable: 'ENGINE = InnoDB',
  changes: 'locking',
  insertIfAbsent: (into) => `INSERT IGNORE ${into}`,
};

const STOOLAP: Dialect = { ...SQLITE, parameter: (n) => `$${n}`, text: null };

export const DIALECTS = { sqlite: SQLITE, duckdb: DUCKDB, postgres: POSTGRES, mysql: MYSQL, stoolap: STOOLAP } as const;
export type DialectName = keyof typeof DIALECTS;
