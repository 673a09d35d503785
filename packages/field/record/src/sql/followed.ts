/** How statements, tables and settings are treated: the one table, which docs/record.md shows. */
interface Treatment {
  readonly how: 'followed' | 'in part' | 'passed';
  /** Statements, tables or settings; those that are not followed are the reasons that recordings give. */
  readonly of: readonly string[];
  readonly why: string;
}

const FOLLOWED = [
  {
    how: 'followed',
    of: ['SELECT', 'joins', 'INSERT', 'UPDATE', 'DELETE', 'ON CONFLICT', 'RETURNING', 'FOR UPDATE', 'SKIP LOCKED'],
    why: 'row by row, in tables with a primary key',
  },
  {
    how: 'followed',
    of: ['=', '<>', '<', 'BETWEEN', 'IN', 'IS NULL', 'AND', 'OR', 'NOT'],
    why: 'conditions on one table, with the non-matching rows, if all changes of the table are known',
  },
  {
    how: 'followed',
    of: ['BEGIN', 'COMMIT', 'savepoints', 'SET TRANSACTION', 'two-phase commit', 'advisory locks'],
    why: 'outcomes, levels, locks; an imported snapshot is apart from its session',
  },
  {
    how: 'followed',
    of: ['search_path', 'default_transaction_isolation'],
    why: 'the server is asked after each statement that may change them',
  },
  {
    how: 'in part',
    of: ['DateStyle', 'IntervalStyle', 'TimeZone', 'bytea_output', 'extra_float_digits'],
    why: 'columns whose text depends on them, such as times, `float8` and `bytea`, are left out',
  },
  {
    how: 'in part',
    of: ['parameters of other types than integers, `numeric`, texts, booleans and `uuid`'],
    why: 'rows only, no conditions',
  },
] as const satisfies readonly Treatment[];

const IN_PART = [
  {
    how: 'in part',
    of: ['a sub-query', 'triggers', 'foreign keys that cascade'],
    why: 'and your functions: only the rows of the answer',
  },
] as const satisfies readonly Treatment[];

const PASSED = [
  {
    how: 'passed',
    of: [
      'a WITH clause',
      'GROUP BY',
      'HAVING',
      'DISTINCT',
      'an aggregate',
      'a window',
      'a set operation',
      'VALUES',
      'SELECT INTO',
      'RETURNING WITH',
      'renamed columns',
      'a table called old or new',
      'a form that is not rewritten',
      'refused by the database with hidden columns',
    ],
    why: 'hidden columns would change the result',
  },
  {
    how: 'passed',
    of: [
      'a table without a primary key',
      'a view',
      'a foreign table',
      'a partitioned table',
      'a temporary table',
      'a table with rules',
      'a table with row-level security',
      'a table that others inherit from',
      'a table that the user may not read',
      'an unknown table',
      'a primary key whose text depends on the session',
      'a key with non-ASCII letters',
    ],
    why: 'its rows have no certain name',
  },
  {
    how: 'passed',
    of: [
      'COPY',
      'MERGE',
      'CALL',
      'DO',
      'PREPARE',
      'EXECUTE',
      'a cursor',
      'EXPLAIN',
      'another command',
      'set_config()',
      'a change of a primary key',
    ],
    why: 'the rows are not in the answer',
  },
  {
    how: 'passed',
    of: [
      'a client_encoding other than UTF8',
      'a backslash without standard_conforming_strings',
      'a changed role',
      'a setting that may have changed before it',
      'a definition before it in the transaction',
      'a statement prepared under other settings',
      'a statement that was not prepared by a message',
      'a query string that could not be read',
      'a function call',
      'not parsed',
    ],
    why: 'the meaning of texts or names is uncertain',
  },
  { how: 'passed', of: ['a text of more than 100,000 characters'], why: 'parsing it would delay all sessions' },
] as const satisfies readonly Treatment[];

export const TREATMENTS: readonly Treatment[] = [...FOLLOWED, ...IN_PART, ...PASSED];

/** The reason why a statement is not followed, or only in part. */
export type Reason = (typeof IN_PART | typeof PASSED)[number]['of'][number] | `the function ${string}`;

/** Statements that PostgreSQL's parser names otherwise than the table does. */
const COMMANDS: Readonly<Record<string, Reason>> = {
  CopyStmt: 'COPY',
  MergeStmt: 'MERGE',
  CallStmt: 'CALL',
  DoStmt: 'DO',
  PrepareStmt: 'PREPARE',
  ExecuteStmt: 'EXECUTE',
  DeclareCursorStmt: 'a cursor',
  FetchStmt: 'a cursor',
  ClosePortalStmt: 'a cursor',
  ExplainStmt: 'EXPLAIN',
};

export const reasonOfCommand = (kind: string): Reason => COMMANDS[kind] ?? 'another command';
