import { byText, row } from './outcomes.ts';

/** Texts of DuckDB's errors, which have no codes. Other texts are errors of the set-up, and at COMMIT unknown. */
export const DUCKDB_OUTCOMES = byText(
  'DuckDB',
  row('database has been invalidated', 'failed', 'unknown', 'an error that the database does not survive'),
  row('could not write', 'failed', 'unknown', 'the disk is full, or the file is not to be written'),
  row('io error', 'failed', 'unknown', 'reading or writing the file failed'),
  row('conflict', 'aborted', 'aborted', 'another transaction changed the same row or key'),
  row('duplicate key', 'aborted', 'aborted', 'two sessions inserted the same key'),
  row('duplicated key', 'aborted', 'aborted', 'two sessions inserted the same key'),
  row('current transaction is aborted', 'aborted', 'aborted', 'an earlier statement failed'),
  row('interrupt error', 'aborted', 'unknown', 'interrupted'),
);
