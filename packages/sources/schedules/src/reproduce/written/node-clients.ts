import type { SpokenSql } from '@isolab/collector';

interface Client {
  /** Environment variable with the address, and an example address. */
  readonly variable: string;
  readonly example: string;
  readonly imports: string;
  /** Code that defines `connect`. */
  readonly code: string;
}

/** Code with which a test without isolab connects to a database. */
export const CLIENTS: Readonly<Record<SpokenSql['client'], Client>> = {
  pg: {
    variable: 'DATABASE_URL',
    example: 'postgres://me@localhost/postgres',
    imports: `import pg from 'pg';`,
    code: `async function connect() {
  const client = new pg.Client({ connectionString: ADDRESS });
  await client.connect();
  return { query: async (sql) => (await client.query(sql)).rows, close: () => client.end() };
}
`,
  },
  mysql2: {
    variable: 'DATABASE_URL',
    example: 'mysql://me@localhost/test',
    imports: `import { createConnection } from 'mysql2/promise';`,
    code: `async function connect() {
  const client = await createConnection({ uri: ADDRESS });
  return { query: async (sql) => [(await client.query(sql))[0]].flat(), close: () => client.end() };
}
`,
  },
  'better-sqlite3': {
    variable: 'DATABASE_FILE',
    example: 'test.db',
    imports: `import Database from 'better-sqlite3';`,
    code: `async function connect() {
  const client = new Database(ADDRESS, { timeout: 0 }); // all clients are in one thread: none may wait
  client.pragma('journal_mode = WAL');
  const query = async (sql) => {
    const statement = client.prepare(sql);
    return statement.reader ? statement.all() : (statement.run(), []);
  };
  return { query, close: async () => client.close() };
}
`,
  },
  '@duckdb/node-api': {
    variable: 'DATABASE_FILE',
    example: ':memory:',
    imports: `import { DuckDBInstance } from '@duckdb/node-api';`,
    code: `let instance;
async function connect() {
  instance ??= await DuckDBInstance.create(ADDRESS);
  const client = await instance.connect();
  return { query: async (sql) => (await client.runAndReadAll(sql)).getRowObjects(), close: async () => client.closeSync() };
}
`,
  },
};

/** Returns code that defines `isAbort`, which recognizes errors by which a database may refuse a transaction. */
export function abortsOf({ client, outcomes }: SpokenSql): string {
  const codes = outcomes.rows.flatMap(({ code, inStatement }) => (inStatement === 'aborted' ? [code] : []));
  const found = {
    pg: 'ABORTS.includes(error.code)',
    mysql2: 'ABORTS.includes(String(error.errno))',
    'better-sqlite3': 'ABORTS.includes(error.code)',
    '@duckdb/node-api': 'ABORTS.some((text) => error.message.toLowerCase().includes(text))',
  }[client];
  return `/** Errors of ${outcomes.database} that refuse a transaction. */
const ABORTS = ${JSON.stringify(codes)};
const isAbort = (error) => ${found};`;
}
