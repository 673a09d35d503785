import pg from 'pg';
import {
  Aborted,
  type Connection,
  ConnectionLost,
  CollectorError,
  type DataKind,
  type Database,
  type Driver,
  type Isolation,
} from '../database.ts';
import { type Query, SqlRequests } from './sql.ts';

export const POSTGRES_ISOLATIONS: readonly Isolation[] = [
  { name: 'read committed', claims: 'read-committed' },
  {
    name: 'repeatable read',
    claims: 'snapshot-isolation',
    warning: 'REPEATABLE READ is snapshot isolation in PostgreSQL, which is what is checked.',
  },
  { name: 'serializable', claims: 'serializable' },
];

const requests = new SqlRequests({
  parameter: (n) => `$${n}`,
  text: 'TEXT',
  upsert: (columns) => `ON CONFLICT (k) DO UPDATE SET ${columns.map((c) => `${c} = EXCLUDED.${c}`).join(', ')}`,
  appends: "ON CONFLICT (k) DO UPDATE SET v = isolab_lists.v || ',' || EXCLUDED.v",
  afterTable: '',
});

export const postgres: Driver = {
  schemes: ['postgres', 'postgresql'],
  title: 'PostgreSQL',
  needs: null,
  isolations: POSTGRES_ISOLATIONS,
  data: ['registers', 'lists', 'rows'],
  open: (address) => openPostgres({ connectionString: address }, address),
};

/** What CockroachDB, YugabyteDB and others speak as well. */
export async function openPostgres(config: pg.ClientConfig, address: string): Promise<Database> {
  const admin = new pg.Client(config);
  admin.on('error', () => {}); // the next query says so
  try {
    await admin.connect();
  } catch (error) {
    throw new CollectorError(`No PostgreSQL answers at ${withoutPassword(address)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  let kind: DataKind = 'registers';
  const version = await admin.query<{ version: string }>('SELECT version() AS version');
  return {
    description: version.rows[0]!.version.split(' on ')[0]!,
    async prepare(data, keep) {
      kind = data;
      for (const sql of requests.tables(data, keep)) await admin.query(sql);
    },
    connect: (isolation) => connect(config, kind, isolation),
    close: () => admin.end(),
  };
}

async function connect(config: pg.ClientConfig, data: DataKind, { name }: Isolation): Promise<Connection> {
  const client = new pg.Client(config);
  client.on('error', () => {}); // the query that is under way fails, too
  await client.connect().catch((error: unknown) => {
    throw new ConnectionLost((error as Error).message, { cause: error });
  });
  const names = new Map<string, string>(); // a statement with a name is prepared once
  const query: Query = async (text, values) => {
    let statement = names.get(text);
    if (statement === undefined) names.set(text, (statement = `isolab_${names.size}`));
    try {
      return (await client.query({ name: statement, text, values: [...values] })).rows as Record<string, unknown>[];
    } catch (error) {
      throw classified(error);
    }
  };
  const run = async (text: string): Promise<void> => {
    try {
      await client.query(text);
    } catch (error) {
      throw classified(error);
    }
  };
  // While the table is small, a scan would be cheaper, and at SERIALIZABLE it would conflict with every write.
  await run('SET enable_seqscan = off');
  return {
    begin: () => run(`BEGIN ISOLATION LEVEL ${name}`),
    ask: (request) => requests.ask(query, data, request),
    async commit() {
      const { command } = await client.query('COMMIT').catch((error: unknown) => {
        throw classified(error);
      });
      // After a failed statement, COMMIT succeeds and rolls back.
      if (command !== 'COMMIT') throw new Aborted(command);
    },
    rollback: () => run('ROLLBACK'),
    close: () => client.end(),
  };
}

/** An error that the server reports carries an SQLSTATE; any other one means that the connection is gone. */
function classified(error: unknown): Error {
  const { code, message } = error as { code?: string; message: string };
  const isFromServer = /^[0-9A-Z]{5}$/.test(code ?? '');
  // 57P01 to 57P05: the server is shutting down or has crashed. 08xxx: the connection failed.
  if (!isFromServer || code!.startsWith('57P') || code!.startsWith('08'))
    return new ConnectionLost(message, { cause: error });
  // 40xxx: serialization failures and deadlocks. 23505: two sessions inserted the same key. 25P02: failed before.
  if (code!.startsWith('40') || code === '23505' || code === '25P02' || code === '55P03')
    return new Aborted(`${code} ${message}`, { cause: error });
  return new CollectorError(`PostgreSQL says ${code}: ${message}`, { cause: error });
}

const withoutPassword = (address: string): string => address.replace(/:[^:@/]*@/, ':…@');
