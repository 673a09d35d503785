import { type Outcomes, byCode, byText, row } from './outcomes.ts';

/** Result codes (sqlite.org/rescode.html, lang_transaction.html). A busy COMMIT has no effect and is rolled back. */
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

/** Texts of DuckDB's errors, which have no codes. Other texts are setup errors or, at COMMIT, unknown outcomes. */
export const DUCKDB_OUTCOMES = byText(
  'DuckDB',
  row('database has been invalidated', 'failed', 'unknown', 'a fatal error of the database'),
  row('could not write', 'failed', 'unknown', 'the disk is full, or the file is not writable'),
  row('io error', 'failed', 'unknown', 'reading or writing the file failed'),
  row('conflict', 'aborted', 'aborted', 'another transaction changed the same row or key'),
  row('duplicate key', 'aborted', 'aborted', 'two sessions inserted the same key'),
  row('duplicated key', 'aborted', 'aborted', 'two sessions inserted the same key'),
  row('current transaction is aborted', 'aborted', 'aborted', 'an earlier statement failed'),
  row('interrupt error', 'aborted', 'unknown', 'interrupted'),
);

/** Texts of Turso's errors (core/error.rs), most of which share one code. */
export const TURSO_OUTCOMES = byText(
  'Turso',
  row('write-write conflict', 'aborted', 'aborted', 'another transaction changed the same row'),
  row('conflict', 'aborted', 'aborted', 'another transaction changed the same row'),
  row('commit dependency aborted', 'aborted', 'aborted', 'it had read from a transaction that was undone'),
  row('database is busy', 'aborted', 'aborted', 'another connection holds the lock'),
  row('database is locked', 'aborted', 'aborted', 'another connection holds the lock'),
  row('busy', 'aborted', 'aborted', 'another connection holds the lock, or wrote since the snapshot'),
  row('snapshot is stale', 'aborted', 'aborted', 'another connection wrote since the snapshot'),
  row('schema changed', 'aborted', 'aborted', 'the tables were created again in between'),
  row('no transaction is active', 'aborted', 'unknown', 'an earlier statement failed and ended it'),
);

/** Texts of Stoolap's errors. Other texts at COMMIT are unknown outcomes. */
export const STOOLAP_OUTCOMES = byText(
  'Stoolap',
  row('conflict', 'aborted', 'aborted', 'another transaction changed the same row'),
  row('uncommitted changes', 'aborted', 'aborted', 'another open transaction changed the same row'),
  row('primary key', 'aborted', 'aborted', 'two sessions inserted the same key'),
  row('duplicate', 'aborted', 'aborted', 'two sessions inserted the same key'),
  row('unique', 'aborted', 'aborted', 'two sessions inserted the same key'),
);

/** Texts of Grafeo's errors. After a refused statement, COMMIT would succeed, so a client must roll back. */
export const GRAFEO_OUTCOMES = byText(
  'Grafeo',
  row('conflict', 'aborted', 'aborted', 'another transaction changed the same node'),
  row('serialization', 'aborted', 'aborted', 'the transaction cannot be serialized'),
  row('unique constraint', 'aborted', 'aborted', 'two sessions inserted the same key'),
);

/** Texts of SurrealDB’s errors (core/src/err), whose kinds and codes are too coarse. */
export const SURREALDB_OUTCOMES = byText(
  'SurrealDB',
  row('transaction conflict', 'aborted', 'aborted', 'another transaction wrote the same key; it can be retried'),
  row('this transaction can be retried', 'aborted', 'aborted', 'a conflict, in the words of earlier releases'),
  row('transaction is already finished', 'aborted', 'unknown', 'an earlier statement failed and ended it'),
  row('transaction not found', 'aborted', 'unknown', 'an earlier statement failed and ended it'),
);

/** PGlite has one connection. Its SQLSTATEs are PostgreSQL's; `busy` is a code of isolab's driver. */
export const PGLITE_OUTCOMES = byCode(
  'PGlite',
  row('busy', 'aborted', 'aborted', 'another session’s transaction holds the only connection for too long'),
  row('23505', 'aborted', 'aborted', 'there is a row with the same key'),
  row('25P02', 'aborted', 'aborted', 'an earlier statement failed'),
  row('40001', 'aborted', 'aborted', 'serialization failure'),
);

/** Texts of etcd's errors (api/v3rpc/rpctypes). Before commit, only reads were sent. */
export const ETCD_OUTCOMES = byText(
  'etcd',
  row('leader changed', 'aborted', 'unknown', 'another node was elected meanwhile'),
  row('no leader', 'aborted', 'unknown', 'the node sees no majority'),
  row('not leader', 'aborted', 'unknown', 'the node no longer leads'),
  row(
    'request timed out',
    'aborted',
    'unknown',
    'the cluster did not answer in time, perhaps because it has no majority',
  ),
  row('too many requests', 'aborted', 'unknown', 'the node accepts no more requests'),
  row('server stopped', 'lost', 'unknown', 'the node is shutting down'),
  row('connection error', 'lost', 'unknown', 'the gateway does not reach its own node'),
  row('transport is closing', 'lost', 'unknown', 'the gateway lost the connection to its own node'),
  row('context deadline exceeded', 'aborted', 'unknown', 'the request took too long'),
  row('context canceled', 'aborted', 'unknown', 'the request was abandoned'),
);

/** First words of Redis' errors. */
export const REDIS_OUTCOMES = byText(
  'Redis',
  row('loading ', 'lost', 'unknown', 'the server is loading its data after a start'),
  row('execabort', 'aborted', 'aborted', 'a command before EXEC was refused, so EXEC did nothing'),
);

/** Meanings of the errors of databases whose drivers are modules. */
export const IN_PROCESS_OUTCOMES: readonly Outcomes[] = [
  SQLITE_OUTCOMES,
  DUCKDB_OUTCOMES,
  TURSO_OUTCOMES,
  STOOLAP_OUTCOMES,
  GRAFEO_OUTCOMES,
  SURREALDB_OUTCOMES,
  PGLITE_OUTCOMES,
  ETCD_OUTCOMES,
  REDIS_OUTCOMES,
];
