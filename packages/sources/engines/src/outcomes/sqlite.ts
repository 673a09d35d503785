import { type Outcomes, row } from './outcomes.ts';

/** Result codes (sqlite.org/rescode.html, lang_transaction.html). A busy COMMIT has not happened and is rolled back. */
export const SQLITE_OUTCOMES: Outcomes = {
  database: 'SQLite',
  keysOf: (code) => [code, code.split('_').slice(0, 2).join('_')],
  rows: [
    row('SQLITE_ABORT', 'aborted', 'unknown', 'another statement rolled the transaction back'),
    row('SQLITE_BUSY', 'aborted', 'aborted', 'another connection holds the lock, or wrote since the snapshot'),
    row('SQLITE_CONSTRAINT', 'failed', 'aborted', 'a constraint is violated'),
    row('SQLITE_CONSTRAINT_PRIMARYKEY', 'aborted', 'aborted', 'two sessions inserted the same key'),
    row('SQLITE_CONSTRAINT_UNIQUE', 'aborted', 'aborted', 'two sessions inserted the same key'),
    row('SQLITE_FULL', 'failed', 'unknown', 'the disk is full'),
    row('SQLITE_INTERRUPT', 'aborted', 'unknown', 'interrupted'),
    row('SQLITE_IOERR', 'failed', 'unknown', 'reading or writing the file failed'),
    row('SQLITE_LOCKED', 'aborted', 'aborted', 'a conflict within the process'),
    row('SQLITE_NOMEM', 'failed', 'unknown', 'out of memory'),
    row('SQLITE_PROTOCOL', 'aborted', 'unknown', 'the lock of the write-ahead log was not available'),
  ],
};
