import { byCode, row } from './outcomes.ts';

/** PGlite has one connection; its SQLSTATEs are PostgreSQL’s, and `busy` is said by isolab’s driver. */
export const PGLITE_OUTCOMES = byCode(
  'PGlite',
  row('busy', 'aborted', 'aborted', 'another session’s transaction holds the only connection for too long'),
  row('23505', 'aborted', 'aborted', 'there is a row with the same key'),
  row('25P02', 'aborted', 'aborted', 'an earlier statement failed'),
  row('40001', 'aborted', 'aborted', 'serialization failure'),
);
