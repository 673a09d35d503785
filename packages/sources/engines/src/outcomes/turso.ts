import { byText, row } from './outcomes.ts';

/** Texts of Turso’s errors (core/error.rs), whose code is the same for most. */
export const TURSO_OUTCOMES = byText(
  'Turso',
  row('write-write conflict', 'aborted', 'aborted', 'another transaction changed the same row'),
  row('conflict', 'aborted', 'aborted', 'another transaction changed the same row'),
  row('commit dependency aborted', 'aborted', 'aborted', 'it had read from a transaction that was undone'),
  row('database is busy', 'aborted', 'aborted', 'another connection holds the lock'),
  row('database is locked', 'aborted', 'aborted', 'another connection holds the lock'),
  row('busy', 'aborted', 'aborted', 'another connection holds the lock, or wrote since the snapshot'),
  row('snapshot is stale', 'aborted', 'aborted', 'another connection wrote since the snapshot'),
  row('schema changed', 'aborted', 'aborted', 'the tables were made anew in between'),
  row('no transaction is active', 'aborted', 'unknown', 'an earlier statement failed and ended it'),
);
