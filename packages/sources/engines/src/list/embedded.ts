/** npm databases that run in the process of their client. */
import type { Engine } from '../engine/engine.ts';
import { inProcess, pinned, unpinned } from './npm.ts';

const surrealdb = {
  name: 'surrealdb',
  title: 'SurrealDB',
  isolations: [{ name: 'snapshot', claims: 'snapshot-isolation' }],
  data: ['registers', 'lists', 'rows'],
  driver: 'driver-surrealdb',
  choices: { backend: ['mem', 'rocksdb', 'surrealkv'] },
} as const;
/** The client, which the engine does not include. */
const beside = { beside: { surrealdb: '2.0.8' } };
const fractured = {
  violations: [
    {
      level: 'snapshot-isolation',
      what: 'with backend=mem, a record that no transaction deleted is read as absent',
      link: null,
    },
  ],
} as const;

const pglite = {
  name: 'pglite',
  title: 'PGlite',
  // Sessions take turns on one connection, which is serial regardless of the level.
  isolations: [{ name: 'serializable', claims: 'serializable' }],
  driver: 'driver-pglite',
  choices: { storage: ['memory', 'file'] },
} as const;

const sqlite = {
  name: 'sqlite',
  title: 'SQLite',
  isolations: [{ name: 'serializable', claims: 'serializable' }],
  driver: 'driver-sqlite',
  choices: { begin: ['deferred', 'immediate'], journal: ['wal', 'delete'] },
} as const;

const libsql = { ...sqlite, name: 'libsql', title: 'libSQL' } as const;

const turso = {
  name: 'turso',
  title: 'Turso',
  isolations: [
    // Each mode has a file of its own.
    { name: 'concurrent', claims: 'snapshot-isolation', beside: null },
    { name: 'deferred', claims: 'serializable', beside: null },
  ],
  driver: 'driver-turso',
} as const;

const lost = {
  violations: [
    {
      level: 'snapshot-isolation',
      what: 'with BEGIN CONCURRENT, committed updates of rows with an INTEGER PRIMARY KEY are lost; none with a text key, nor in 0.7.2',
      link: null,
    },
  ],
} as const;

const stoolap = {
  name: 'stoolap',
  title: 'Stoolap',
  isolations: [
    { name: 'READ COMMITTED', claims: 'read-committed' },
    { name: 'SNAPSHOT', claims: 'snapshot-isolation' },
  ],
  data: ['registers', 'lists', 'rows'],
  driver: 'driver-stoolap',
} as const;

const grafeo = {
  name: 'grafeo',
  title: 'Grafeo',
  isolations: [
    { name: 'read_committed', claims: 'read-committed' },
    { name: 'snapshot', claims: 'snapshot-isolation' },
    { name: 'serializable', claims: 'serializable' },
  ],
  data: ['registers', 'lists'],
  driver: 'driver-grafeo',
} as const;

const duckdb = {
  name: 'duckdb',
  title: 'DuckDB',
  isolations: [{ name: 'snapshot', claims: 'snapshot-isolation' }],
  driver: 'driver-duckdb',
  choices: { storage: ['memory', 'file'] },
} as const;

/** "In that situation, the second thread to attempt the edit will fail with a conflict error." */
const otherColumn = {
  level: 'snapshot-isolation',
  what: 'two transactions that update different columns of one row both commit; not if they update the same column',
  link: null,
} as const;
const documentation = 'https://duckdb.org/docs/stable/connect/concurrency.html';
const columns = {
  documentation,
  violations: [
    otherColumn,
    {
      level: 'snapshot-isolation',
      what: 'an UPDATE is lost beside a DELETE of the row by its old value',
      link: 'https://github.com/duckdb/duckdb/issues/17223',
    },
  ],
} as const;
const upserted = {
  documentation,
  violations: [
    ...columns.violations,
    {
      level: 'snapshot-isolation',
      what: 'lost updates where INSERT … ON CONFLICT DO UPDATE meets a row that was inserted after its snapshot; not in 1.4.5',
      link: null,
    },
  ],
} as const;

const all = <Shared extends Parameters<typeof inProcess>[0]>(
  shared: Shared,
  name: string,
  versions: readonly string[],
): Engine[] => versions.map((version) => inProcess(shared, version, pinned(name, version)));

export const EMBEDDED_DATABASES: readonly Engine[] = [
  inProcess(surrealdb, '3.0.3', pinned('@surrealdb/node', '3.0.3', beside), fractured),
  inProcess(surrealdb, '3.0.1', pinned('@surrealdb/node', '3.0.1', beside), { glibc: '2.38' }),
  ...all(pglite, '@electric-sql/pglite', ['0.5.17', '0.5.16', '0.4.6', '0.3.16', '0.2.17']),
  inProcess(sqlite, '3.53.2', pinned('better-sqlite3', '12.11.1', { builds: true }), {
    needs: ['npm', 'make', 'g++', 'python3'],
  }),
  ...all(libsql, 'libsql', ['0.5.29', '0.4.7', '0.3.19']),
  ...all(turso, '@tursodatabase/database', ['0.7.2', '0.6.1']),
  inProcess(turso, '0.5.3', pinned('@tursodatabase/database', '0.5.3'), lost),
  inProcess(turso, '0.4.4', pinned('@tursodatabase/database', '0.4.4'), lost),
  // "All queries within the transaction see the same snapshot."
  inProcess(stoolap, '0.4.1', pinned('@stoolap/node', '0.4.1', { builds: true }), {
    needs: ['npm', 'make', 'g++', 'python3'],
    documentation: 'https://stoolap.io/docs/architecture/transaction-isolation',
    violations: [
      {
        level: 'snapshot-isolation',
        what: 'two transactions insert the same key and both commit; a snapshot loses a row when another transaction commits its tenth version',
        link: null,
      },
      {
        level: 'read-committed',
        what: 'an UPDATE of a row that exists may change nothing, and the transaction commits without its write',
        link: null,
      },
    ],
  }),
  // "Serializable … prevents all anomalies including write skew"
  inProcess(grafeo, '0.6.0', pinned('@grafeo-db/js', '0.6.0'), {
    documentation: 'https://docs.rs/grafeo-engine',
    violations: [
      {
        level: 'serializable',
        what: 'write skew, each time',
        link: 'https://github.com/GrafeoDB/grafeo/issues/400',
      },
    ],
  }),
  inProcess(duckdb, '1.5.6', pinned('@duckdb/node-api', '1.5.6-r.1'), columns),
  inProcess(duckdb, '1.4.5', pinned('@duckdb/node-api', '1.4.5-r.1'), columns),
  inProcess(duckdb, '1.3.4', pinned('@duckdb/node-api', '1.3.4-alpha.27'), upserted),
];

/** Constructors of unlisted versions, which npm may have, by name. */
export const UNLISTED_EMBEDDED: Readonly<Record<string, (version: string) => Engine>> = {
  surrealdb: (version) => inProcess(surrealdb, version, unpinned('@surrealdb/node', version, beside)),
  pglite: (version) => inProcess(pglite, version, unpinned('@electric-sql/pglite', version)),
  libsql: (version) => inProcess(libsql, version, unpinned('libsql', version)),
  turso: (version) => inProcess(turso, version, unpinned('@tursodatabase/database', version)),
  stoolap: (version) => inProcess(stoolap, version, unpinned('@stoolap/node', version, { builds: true })),
  grafeo: (version) => inProcess(grafeo, version, unpinned('@grafeo-db/js', version)),
  duckdb: (version) => inProcess(duckdb, version, unpinned('@duckdb/node-api', version)),
};
