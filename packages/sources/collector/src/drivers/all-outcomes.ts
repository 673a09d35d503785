import { IN_PROCESS_OUTCOMES } from '@isolab/engines';
import { MONGODB_OUTCOMES } from './mongodb.ts';
import { MYSQL_OUTCOMES } from './mysql.ts';
import type { Outcomes } from '../database/outcomes.ts';
import { POSTGRES_OUTCOMES } from './postgres.ts';

/** Meanings of the errors of each database. */
export const OUTCOMES: readonly Outcomes[] = [
  POSTGRES_OUTCOMES,
  MYSQL_OUTCOMES,
  ...IN_PROCESS_OUTCOMES,
  MONGODB_OUTCOMES,
];
