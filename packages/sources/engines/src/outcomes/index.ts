import { DUCKDB_OUTCOMES } from './duckdb.ts';
import { ETCD_OUTCOMES } from './etcd.ts';
import type { Outcomes } from './outcomes.ts';
import { PGLITE_OUTCOMES } from './pglite.ts';
import { REDIS_OUTCOMES } from './redis.ts';
import { SQLITE_OUTCOMES } from './sqlite.ts';
import { SURREALDB_OUTCOMES } from './surrealdb.ts';
import { TURSO_OUTCOMES } from './turso.ts';

/** Meanings of the errors of databases whose drivers are modules. */
export const IN_PROCESS_OUTCOMES: readonly Outcomes[] = [
  SQLITE_OUTCOMES,
  DUCKDB_OUTCOMES,
  TURSO_OUTCOMES,
  SURREALDB_OUTCOMES,
  PGLITE_OUTCOMES,
  ETCD_OUTCOMES,
  REDIS_OUTCOMES,
];

export { DUCKDB_OUTCOMES, SQLITE_OUTCOMES };
