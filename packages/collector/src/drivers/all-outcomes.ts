import { DUCKDB_OUTCOMES } from './duckdb.ts';
import { MONGODB_OUTCOMES } from './mongodb.ts';
import { MYSQL_OUTCOMES } from './mysql.ts';
import type { Outcomes } from './outcomes.ts';
import { POSTGRES_OUTCOMES } from './postgres.ts';
import { SQLITE_OUTCOMES } from './sqlite.ts';

/** What the errors of each database mean. */
export const OUTCOMES: readonly Outcomes[] = [
  POSTGRES_OUTCOMES,
  MYSQL_OUTCOMES,
  SQLITE_OUTCOMES,
  DUCKDB_OUTCOMES,
  MONGODB_OUTCOMES,
];
