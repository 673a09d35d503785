/** DuckDB in this process, with a connection for each session. */
import { join } from 'node:path';
import { DUCKDB_OUTCOMES } from '../outcomes/index.ts';
import { load } from './load.ts';
import { type SqlConnection, type SqlDialect, SqlSession } from './sql-session.ts';
import type { Given, Opened } from './shape.ts';

/** The part of @duckdb/node-api that this driver uses. */
interface Duckdb {
  readonly DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<DuckdbConnection> }> };
}
interface DuckdbConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string, values?: readonly unknown[]): Promise<{ getRowObjects(): Record<string, unknown>[] }>;
  closeSync?(): void;
}

const dialect: SqlDialect = {
  outcomes: DUCKDB_OUTCOMES,
  codeOf: (error) => (error as Error).message,
  parameter: (n) => `$${n}`,
  begin: 'BEGIN TRANSACTION',
};

const connectionOf = (connection: DuckdbConnection): SqlConnection => ({
  // Earlier releases of the package bind numbers as 32-bit integers.
  query: async (sql, values) =>
    (
      await connection.runAndReadAll(
        sql,
        values.map((one) => (typeof one === 'number' ? BigInt(one) : one)),
      )
    ).getRowObjects(),
  close: () => connection.closeSync?.(),
});

export default {
  title: 'DuckDB',
  isolations: { snapshot: 'snapshot-isolation' },
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  dialect: 'duckdb',
  async open({ options, sessionSetup }: Given): Promise<Opened> {
    const { installed = '', data = '', storage = 'memory' } = options;
    const { DuckDBInstance } = await load<Duckdb>(installed, '@duckdb/node-api');
    const instance = await DuckDBInstance.create(storage === 'memory' ? ':memory:' : join(data, 'duckdb.db'));
    const admin = await instance.connect();
    const [found] = (await admin.runAndReadAll('SELECT version() AS version')).getRowObjects();
    return {
      description: `DuckDB ${String(found!['version'])}`,
      isTemporary: true,
      async prepare(_data, _keep, statements) {
        for (const sql of statements) await admin.run(sql);
      },
      async connect() {
        const client = await instance.connect();
        for (const sql of sessionSetup) await client.run(sql);
        return new SqlSession(connectionOf(client), dialect);
      },
      async close() {
        admin.closeSync?.();
      },
    };
  },
};
