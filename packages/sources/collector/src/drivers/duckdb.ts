import { type Driver, optionalPackage } from '../database/database.ts';
import { DUCKDB_OUTCOMES } from '@isolab/engines';
import { type Phase, answering, meaningOf, phaseOf } from '../database/outcomes.ts';
import { spoken } from './spoken.ts';
import { DIALECTS } from './dialects.ts';
import { type Query, SqlRequests } from './sql.ts';

/** The part of @duckdb/node-api that this driver uses. */
interface Duckdb {
  readonly DuckDBInstance: { create(path: string): Promise<DuckdbInstance> };
}
interface DuckdbInstance {
  connect(): Promise<DuckdbConnection>;
}
interface DuckdbConnection {
  run(sql: string, values?: readonly unknown[]): Promise<unknown>;
  runAndReadAll(sql: string, values?: readonly unknown[]): Promise<{ getRowObjects(): Record<string, unknown>[] }>;
  closeSync(): void;
}

const DIALECT = DIALECTS.duckdb;

const BEGIN = 'BEGIN TRANSACTION';

export const duckdb: Driver = {
  schemes: ['duckdb'],
  title: 'DuckDB',
  needs: '@duckdb/node-api',
  isolations: [{ name: 'snapshot', claims: 'snapshot-isolation' }],
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  takesSessionSetup: true,
  sql: spoken(DIALECT, { client: '@duckdb/node-api', outcomes: () => DUCKDB_OUTCOMES, begin: () => BEGIN }),
  async open(address, { sessionSetup = [] }) {
    let requests = new SqlRequests(DIALECT);
    const { DuckDBInstance } = await optionalPackage<Duckdb>('@duckdb/node-api');
    const instance = await DuckDBInstance.create(address.replace(/^duckdb:(?:\/\/)?/, '') || ':memory:');
    const admin = await instance.connect();
    const version = (await admin.runAndReadAll('SELECT version() AS version')).getRowObjects()[0]!['version'];
    return {
      description: `DuckDB ${String(version)}`,
      takesLayout: true,
      takesStatements: true,
      async prepare(data, keep, tables, layout) {
        requests = new SqlRequests(DIALECT, data, layout);
        for (const sql of requests.tables(keep, tables)) await guarded(() => admin.run(sql));
      },
      async connect() {
        const client = await instance.connect();
        const query = (sql: string, values: readonly unknown[], phase?: Phase): ReturnType<Query> =>
          guarded(async () => (await client.runAndReadAll(sql, values)).getRowObjects(), phase);
        const run = (sql: string, phase?: Phase): Promise<void> =>
          guarded(async () => void (await client.run(sql)), phase);
        for (const sql of sessionSetup) await run(sql);
        return {
          begin: () => run(BEGIN),
          ask: (question) => requests.ask(query, question),
          perform: (request) => requests.perform(query, request),
          commit: () => run('COMMIT', 'commit'),
          rollback: () => run('ROLLBACK'),
          sql: { begin: BEGIN, session: sessionSetup, send: (text) => query(text, [], phaseOf(text)) },
          close: async () => client.closeSync(),
          abandon: () => client.closeSync(),
        };
      },
      close: async () => admin.closeSync(),
    };
  },
};

const guarded = answering((error, phase) => meaningOf(DUCKDB_OUTCOMES, error.message, phase, error));
