import {
  Aborted,
  CollectorError,
  type Connection,
  ConnectionLost,
  type DataKind,
  type Driver,
  type Isolation,
  optionalPackage,
} from '../database.ts';
import { type Query, SqlRequests } from './sql.ts';

/** What is used of the package mysql2. */
interface Mysql {
  createConnection(options: object): Promise<MysqlConnection>;
}
interface MysqlConnection {
  query(sql: string): Promise<[readonly Record<string, unknown>[], unknown]>;
  execute(sql: string, values: readonly unknown[]): Promise<[readonly Record<string, unknown>[], unknown]>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
}

const requests = new SqlRequests({
  parameter: () => '?',
  text: 'VARCHAR(200)',
  upsert: (columns) => `ON DUPLICATE KEY UPDATE ${columns.map((c) => `${c} = VALUES(${c})`).join(', ')}`,
  appends: "ON DUPLICATE KEY UPDATE v = CONCAT(v, ',', VALUES(v))",
  afterTable: 'ENGINE = InnoDB',
});

/** MySQL and MariaDB. */
export const mysql: Driver = {
  schemes: ['mysql', 'mariadb'],
  title: 'MySQL or MariaDB',
  needs: 'mysql2',
  isolations: [
    { name: 'read committed', claims: 'read-committed' },
    {
      name: 'repeatable read',
      claims: 'snapshot-isolation',
      warning:
        'MySQL’s REPEATABLE READ lets writes see more than reads do: it is not snapshot isolation, although that is what is checked.',
    },
    { name: 'serializable', claims: 'serializable' },
  ],
  data: ['registers', 'lists', 'rows'],
  async open(address) {
    const { createConnection } = await optionalPackage<Mysql>('mysql2/promise');
    const options = { uri: address.replace(/^mariadb:/, 'mysql:') };
    let data: DataKind = 'registers';
    const admin = await createConnection(options).catch((error: unknown) => {
      throw new CollectorError(`No MySQL answers at ${address}: ${(error as Error).message}`, { cause: error });
    });
    admin.on('error', () => {});
    const [[row]] = await admin.query('SELECT VERSION() AS version');
    const version = String(row!['version']);
    return {
      description: `${version.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${version}`,
      async prepare(kind, keep) {
        data = kind;
        for (const sql of requests.tables(kind, keep)) await admin.query(sql);
      },
      connect: (isolation) => connect(createConnection, options, data, isolation),
      close: () => admin.end(),
    };
  },
};

async function connect(
  createConnection: Mysql['createConnection'],
  options: object,
  data: DataKind,
  { name }: Isolation,
): Promise<Connection> {
  const client = await createConnection(options).catch((error: unknown) => {
    throw new ConnectionLost((error as Error).message, { cause: error });
  });
  client.on('error', () => {}); // the query that is under way fails, too
  const guarded = async <T>(result: Promise<T>): Promise<T> => {
    try {
      return await result;
    } catch (error) {
      throw classified(error);
    }
  };
  const query: Query = async (sql, values) => (await guarded(client.execute(sql, values)))[0];
  const run = async (sql: string): Promise<void> => void (await guarded(client.query(sql)));
  await run(`SET SESSION TRANSACTION ISOLATION LEVEL ${name}`);
  return {
    begin: () => run('START TRANSACTION'),
    ask: (request) => requests.ask(query, data, request),
    commit: () => run('COMMIT'),
    rollback: () => run('ROLLBACK'),
    close: () => client.end(),
  };
}

/** 1213 deadlock, 1205 lock wait timeout, 1020 record has changed since last read (MariaDB), 1062 duplicate key. */
const ABORTS: ReadonlySet<number | undefined> = new Set([1213, 1205, 1020, 1062]);

function classified(error: unknown): Error {
  const { errno, message, sqlState, fatal } = error as {
    errno?: number;
    message: string;
    sqlState?: string;
    fatal?: boolean;
  };
  if (ABORTS.has(errno)) return new Aborted(`${errno} ${message}`, { cause: error });
  const isFromServer = sqlState !== undefined && fatal !== true && !sqlState.startsWith('08');
  return isFromServer
    ? new CollectorError(`MySQL says ${errno}: ${message}`, { cause: error })
    : new ConnectionLost(message, { cause: error });
}
