import { describe, expect, test } from 'vitest';
import { Aborted, CollectorError, ConnectionLost } from '../src/database/errors.ts';
import { DUCKDB_OUTCOMES, SQLITE_OUTCOMES } from '@isolab/engines';
import { EXEC_OUTCOMES } from '../src/drivers/exec-program.ts';
import { MONGODB_OUTCOMES } from '../src/drivers/mongodb.ts';
import { MYSQL_OUTCOMES } from '../src/drivers/mysql.ts';
import { type Outcomes, type Phase, meaningOf } from '../src/database/outcomes.ts';
import { POSTGRES_OUTCOMES } from '../src/drivers/postgres.ts';

const meaning = (outcomes: Outcomes, code: string, phase: Phase): string => {
  const error = meaningOf(outcomes, code, phase, new Error('why'));
  if (error instanceof Aborted) return 'aborted';
  if (error instanceof ConnectionLost) return 'lost';
  return error instanceof CollectorError ? 'failed' : 'something else';
};

const TABLES = [
  POSTGRES_OUTCOMES,
  MYSQL_OUTCOMES,
  SQLITE_OUTCOMES,
  DUCKDB_OUTCOMES,
  MONGODB_OUTCOMES,
  EXEC_OUTCOMES,
].map((outcomes) => [outcomes.database, outcomes] as const);

describe.each(TABLES)('the table of %s', (_, outcomes) => {
  test.each(outcomes.rows.map((row) => [row.code, row] as const))('%s has the meaning of its row', (code, row) => {
    expect(meaning(outcomes, code, 'statement')).toBe(row.inStatement);
    const unknown = row.inStatement === 'failed' ? 'failed' : 'lost'; // whether the collection continues
    expect(meaning(outcomes, code, 'commit')).toBe(row.atCommit === 'aborted' ? 'aborted' : unknown);
  });

  test('the table has each code once', () => {
    const codes = outcomes.rows.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test('the table knows no other code', () => {
    expect(meaning(outcomes, 'nonsense', 'statement')).toBe('failed');
    expect(meaning(outcomes, 'nonsense', 'commit')).toBe('failed'); // never aborted
  });
});

test.each([
  ['a statement of unknown completion at COMMIT', POSTGRES_OUTCOMES, '40003', 'lost'],
  ['a full disk', POSTGRES_OUTCOMES, '53100', 'failed'],
  ['out of memory', POSTGRES_OUTCOMES, '53200', 'lost'],
  ['an error of input and output', POSTGRES_OUTCOMES, '58030', 'failed'],
  ['an internal error', POSTGRES_OUTCOMES, 'XX001', 'failed'],
  ['a cancelled COMMIT', POSTGRES_OUTCOMES, '57014', 'lost'],
  ['a lost connection', POSTGRES_OUTCOMES, '08006', 'lost'],
  ['a lock wait timeout', MYSQL_OUTCOMES, '1205', 'lost'],
  ['an error during COMMIT', MYSQL_OUTCOMES, '1180', 'failed'],
  ['a server that has gone away', MYSQL_OUTCOMES, '2006', 'lost'],
  ['a full disk', SQLITE_OUTCOMES, 'SQLITE_FULL', 'failed'],
  ['an error of input and output', SQLITE_OUTCOMES, 'SQLITE_IOERR_FSYNC', 'failed'],
  [
    'a write-ahead log that fails',
    DUCKDB_OUTCOMES,
    'TransactionContext Error: Failed to commit: Could not write file',
    'failed',
  ],
  ['a transaction that is not there', MONGODB_OUTCOMES, '251 MongoServerError', 'lost'],
  ['both labels', MONGODB_OUTCOMES, 'UnknownTransactionCommitResult TransientTransactionError 64', 'lost'],
  ['a lost connection', EXEC_OUTCOMES, 'lost', 'lost'],
] as const)('%s of %o (%s) leaves the outcome of COMMIT open', (_, outcomes, code, expected) => {
  expect(meaning(outcomes, code, 'commit')).toBe(expected);
});

test.each([
  [POSTGRES_OUTCOMES, '40001'],
  [POSTGRES_OUTCOMES, '23503'],
  [MYSQL_OUTCOMES, '1213'],
  [SQLITE_OUTCOMES, 'SQLITE_BUSY_SNAPSHOT'],
  [
    DUCKDB_OUTCOMES,
    'TransactionContext Error: Failed to commit: PRIMARY KEY or UNIQUE constraint violation: duplicate key "1"',
  ],
  [MONGODB_OUTCOMES, 'TransientTransactionError 112 MongoServerError'],
])('%o says at COMMIT that it aborted: %s', (outcomes, code) => {
  expect(meaning(outcomes, code, 'commit')).toBe('aborted');
});

test('out of shared memory for predicate locks is no failure of the set-up', () => {
  expect(meaning(POSTGRES_OUTCOMES, '53200', 'statement')).toBe('aborted');
});
