/** Transactions that are known to show an anomaly, most of them from published reports, on two small tables. */

export interface Template {
  readonly name: string;
  /** Report or paper with these transactions. */
  readonly source: string;
  /** Statements of each transaction, without BEGIN and COMMIT. */
  readonly transactions: readonly (readonly string[])[];
  /** An index that the transactions need. */
  readonly index?: string;
}

/** Tables of all templates. The first column is the primary key. */
export const TABLES: readonly string[] = [
  'CREATE TABLE isolab_t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER)',
  'CREATE TABLE isolab_u (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER)',
  'INSERT INTO isolab_t (id, a, b) VALUES (1, 10, 1), (2, 20, 2), (3, 30, 3)',
  'INSERT INTO isolab_u (id, a, b) VALUES (1, 100, 1), (2, 200, 2)',
];

const ALL = 'SELECT id, a, b FROM isolab_t';

export const TEMPLATES: readonly Template[] = [
  {
    name: 'deleted rows in a locking read',
    source: 'https://jira.mariadb.org/browse/MDEV-40092',
    transactions: [['DELETE FROM isolab_t'], [ALL, `${ALL} FOR UPDATE`]],
  },
  {
    name: 'locking read after a rollback',
    source: 'https://github.com/MariaDB/server/pull/3171',
    transactions: [
      ['UPDATE isolab_t SET a = 11 WHERE id = 1', 'ROLLBACK'],
      [ALL, 'SELECT id, a, b FROM isolab_t WHERE a > 10 FOR UPDATE', ALL],
      ['UPDATE isolab_t SET a = 12 WHERE id = 1'],
    ],
  },
  {
    name: 'changed primary key',
    source: 'https://github.com/MariaDB/server/pull/3067',
    transactions: [['UPDATE isolab_t SET id = id + 10 WHERE a >= 20'], [ALL, 'UPDATE isolab_t SET b = b + 100', ALL]],
  },
  {
    name: 'search of an UPDATE by an index',
    source: 'https://github.com/MariaDB/server/pull/3345',
    transactions: [['UPDATE isolab_t SET a = 5 WHERE b = 2'], [ALL, 'UPDATE isolab_t SET b = 9 WHERE a = 20', ALL]],
  },
  {
    name: 'reads without a snapshot at SERIALIZABLE',
    source: 'https://github.com/MariaDB/server/pull/4050',
    transactions: [
      ['SELECT id, a FROM isolab_t WHERE id = 1', 'UPDATE isolab_u SET a = 101 WHERE id = 1'],
      ['UPDATE isolab_t SET a = 11 WHERE id = 1', 'SELECT id, a FROM isolab_u WHERE id = 1'],
    ],
  },
  {
    name: 'insert, delete and a reader of both tables',
    source: 'https://github.com/FirebirdSQL/firebird/issues/7546',
    transactions: [
      ['INSERT INTO isolab_u (id, a, b) VALUES (5, 500, 5)', 'SELECT id, a FROM isolab_t WHERE b <= 3'],
      ['DELETE FROM isolab_t WHERE id = 3'],
      ['SELECT a FROM isolab_t WHERE id = 3', 'SELECT a FROM isolab_u WHERE id = 5'],
    ],
  },
  {
    name: 'lost DELETE',
    source: 'https://github.com/yugabyte/yugabyte-db/issues/2848',
    transactions: [['DELETE FROM isolab_t WHERE id = 2'], [ALL, 'UPDATE isolab_t SET a = a + 1']],
  },
  {
    name: 'lost UPDATE beside a DELETE by value',
    source: 'https://github.com/duckdb/duckdb/issues/17223',
    transactions: [
      ['UPDATE isolab_t SET a = 12 WHERE id = 1', 'UPDATE isolab_t SET a = 18 WHERE id = 2'],
      ['SELECT id, a FROM isolab_t WHERE id = 1', 'DELETE FROM isolab_t WHERE a = 20'],
    ],
  },
  {
    name: 'inserted sums',
    source: 'https://github.com/scalar-labs/scalardb/issues/65',
    transactions: [
      ['INSERT INTO isolab_u (id, a, b) SELECT 11, SUM(a) + 1, 0 FROM isolab_u'],
      ['INSERT INTO isolab_u (id, a, b) SELECT 12, SUM(a) + 1, 0 FROM isolab_u'],
    ],
  },
  {
    name: 'inserts after a search',
    source: 'https://github.com/surrealdb/surrealkv/issues/28',
    transactions: [
      ['SELECT id FROM isolab_t WHERE a % 3 = 0', 'INSERT INTO isolab_t (id, a, b) VALUES (4, 33, 4)'],
      ['SELECT id FROM isolab_t WHERE a % 3 = 0', 'INSERT INTO isolab_t (id, a, b) VALUES (5, 42, 5)'],
    ],
  },
  {
    name: 'inserts before the first row and after the last',
    source: 'isolab',
    transactions: [
      ['SELECT id, a FROM isolab_t ORDER BY a, id LIMIT 1', 'INSERT INTO isolab_u (id, a, b) VALUES (5, 500, 5)'],
      ['SELECT MAX(a) FROM isolab_u', 'INSERT INTO isolab_t (id, a, b) VALUES (4, 4, 4)'],
    ],
  },
  {
    name: 'count that changes in a transaction',
    source: 'https://github.com/tursodatabase/turso/issues/5420',
    transactions: [
      ['INSERT INTO isolab_t (id, a, b) VALUES (4, 40, 4), (5, 50, 5)'],
      ['SELECT COUNT(*) FROM isolab_t', 'SELECT COUNT(*) FROM isolab_t', 'SELECT SUM(a) FROM isolab_t'],
    ],
  },
  {
    name: 'row that is deleted twice',
    source: 'https://github.com/tursodatabase/turso/pull/8961',
    transactions: [
      [ALL, 'DELETE FROM isolab_t WHERE id = 1', 'UPDATE isolab_u SET a = a + 1 WHERE id = 1'],
      [ALL, 'DELETE FROM isolab_t WHERE id = 1', 'UPDATE isolab_u SET a = a + 1 WHERE id = 2'],
    ],
  },
  {
    name: 'rows that leave a snapshot',
    source: 'https://github.com/matrixorigin/matrixone/issues/5388',
    transactions: [
      ['UPDATE isolab_t SET a = a - 1', 'UPDATE isolab_t SET b = b + 1'],
      [ALL, ALL],
    ],
  },
  {
    name: 'update that a snapshot shows',
    source: 'https://github.com/oceanbase/oceanbase/issues/2248',
    transactions: [
      ['UPDATE isolab_t SET a = 99 WHERE b = 1', 'DELETE FROM isolab_t WHERE b = 2'],
      ['SELECT id FROM isolab_u', 'UPDATE isolab_t SET b = b + 10 WHERE id = 3', ALL],
    ],
  },
  {
    name: 'receipts of a closed batch',
    source: 'https://wiki.postgresql.org/wiki/SSI#Read_Only_Transactions',
    transactions: [
      ['INSERT INTO isolab_u (id, a, b) SELECT 20, a, 0 FROM isolab_t WHERE id = 1'],
      ['UPDATE isolab_t SET a = a + 1 WHERE id = 1'],
      ['SELECT a FROM isolab_t WHERE id = 1', 'SELECT id, a FROM isolab_u WHERE a = 10'],
    ],
  },
  {
    name: 'lost increments',
    source: 'Berenson et al., A Critique of ANSI SQL Isolation Levels, 1995, P4',
    transactions: [
      ['SELECT a FROM isolab_t WHERE id = 1', 'UPDATE isolab_t SET a = a + 1 WHERE id = 1'],
      ['SELECT a FROM isolab_t WHERE id = 1', 'UPDATE isolab_t SET a = a + 1 WHERE id = 1'],
    ],
  },
  {
    name: 'increments without reads',
    source: 'Berenson et al., A Critique of ANSI SQL Isolation Levels, 1995, P4',
    transactions: [
      ['UPDATE isolab_t SET a = a + 1 WHERE id = 1', 'UPDATE isolab_t SET a = a + 1 WHERE id = 2'],
      ['UPDATE isolab_t SET a = a + 1 WHERE id = 1', 'UPDATE isolab_t SET b = b + 1 WHERE a > 15'],
    ],
  },
  {
    name: 'deletes of nothing',
    source: 'Eswaran, Gray, Lorie and Traiger, The Notions of Consistency and Predicate Locks, 1976',
    transactions: [
      ['DELETE FROM isolab_t WHERE id = 4', 'INSERT INTO isolab_u (id, a, b) VALUES (5, 500, 5)'],
      ['DELETE FROM isolab_u WHERE id = 5', 'INSERT INTO isolab_t (id, a, b) VALUES (4, 40, 4)'],
    ],
  },
  {
    name: 'updates of nothing',
    source: 'Eswaran, Gray, Lorie and Traiger, The Notions of Consistency and Predicate Locks, 1976',
    transactions: [
      ['UPDATE isolab_t SET a = 99 WHERE b = 4', 'INSERT INTO isolab_u (id, a, b) VALUES (5, 500, 5)'],
      ['UPDATE isolab_u SET a = 99 WHERE b = 5', 'INSERT INTO isolab_t (id, a, b) VALUES (4, 40, 4)'],
    ],
  },
  {
    name: 'one key inserted twice',
    source: 'isolab’s board of findings, Stoolap 0.4.1',
    transactions: [
      ['INSERT INTO isolab_t (id, a, b) VALUES (4, 40, 4)', ALL],
      ['INSERT INTO isolab_t (id, a, b) VALUES (4, 41, 4)', ALL],
    ],
  },
  {
    name: 'one value of a unique index inserted twice',
    source: 'isolab’s board of findings, Stoolap 0.4.1',
    transactions: [
      ['INSERT INTO isolab_t (id, a, b) VALUES (4, 40, 4)', ALL],
      ['INSERT INTO isolab_t (id, a, b) VALUES (5, 40, 5)', ALL],
      ['UPDATE isolab_t SET a = 40 WHERE id = 1'],
    ],
    index: 'CREATE UNIQUE INDEX isolab_m ON isolab_t (a)',
  },
  {
    name: 'two upserts of a key',
    source: 'isolab’s board of findings, DuckDB 1.3.4',
    transactions: [
      ['INSERT INTO isolab_t (id, a, b) VALUES (4, 7, 2) ON CONFLICT (id) DO UPDATE SET a = isolab_t.a + 1'],
      ['INSERT INTO isolab_t (id, a, b) VALUES (4, 9, 2) ON CONFLICT (id) DO UPDATE SET a = isolab_t.a + 1', ALL],
    ],
  },
  {
    name: 'reads after a savepoint',
    source: 'isolab',
    transactions: [
      [
        'UPDATE isolab_t SET a = 11 WHERE id = 1',
        'SAVEPOINT isolab_s',
        'UPDATE isolab_t SET a = 12 WHERE id < 3',
        'ROLLBACK TO SAVEPOINT isolab_s',
        ALL,
      ],
      ['UPDATE isolab_t SET a = 21 WHERE id = 2', ALL],
    ],
  },
  {
    name: 'doctors on call',
    source: 'Cahill, Röhm and Fekete, Serializable Isolation for Snapshot Databases, 2008',
    transactions: [
      ['SELECT COUNT(*) FROM isolab_t WHERE a > 5', 'UPDATE isolab_t SET a = 0 WHERE id = 1'],
      ['SELECT COUNT(*) FROM isolab_t WHERE a > 5', 'UPDATE isolab_t SET a = 0 WHERE id = 2'],
    ],
  },
  {
    name: 'write skew with a late read',
    source: 'isolab’s board of findings, Firebird 5.0.4',
    transactions: [
      ['SELECT a FROM isolab_t WHERE id = 1', 'UPDATE isolab_u SET a = 101 WHERE id = 1'],
      [
        'SELECT a FROM isolab_t WHERE id = 2',
        'SELECT a FROM isolab_u WHERE id = 1',
        'UPDATE isolab_t SET a = 11 WHERE id = 1',
      ],
    ],
  },
  {
    name: 'deposit, withdrawal, statement',
    source: 'Fekete, O’Neil and O’Neil, A Read-Only Transaction Anomaly Under Snapshot Isolation, 2004',
    transactions: [
      ['UPDATE isolab_t SET a = a + 20 WHERE id = 2'],
      ['SELECT SUM(a) FROM isolab_t WHERE id < 3', 'UPDATE isolab_t SET a = a - 11 WHERE id = 1'],
      [ALL],
    ],
  },
];
