import { byText, row } from './outcomes.ts';

/** Texts of SurrealDB’s errors (core/src/err), whose kinds and codes are too coarse. */
export const SURREALDB_OUTCOMES = byText(
  'SurrealDB',
  row('transaction conflict', 'aborted', 'aborted', 'another transaction wrote the same key; it can be retried'),
  row('this transaction can be retried', 'aborted', 'aborted', 'a conflict, in the words of earlier releases'),
  row('transaction is already finished', 'aborted', 'unknown', 'an earlier statement failed and ended it'),
  row('transaction not found', 'aborted', 'unknown', 'an earlier statement failed and ended it'),
);
