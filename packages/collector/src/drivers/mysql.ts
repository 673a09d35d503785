import {
  type Connection,
  type DataKind,
  type Driver,
  type Isolation,
  type Limits,
  optionalPackage,
} from '../database.ts';
import { CollectorError, ConnectionLost, TooManyConnections } from '../errors.ts';
import { closed, within } from '../time.ts';
import { MYSQL_OUTCOMES } from './mysql-outcomes.ts';
import { type Phase, meaningOf } from './outcomes.ts';
import { type Query, SqlRequests } from './sql.ts';

/** What is used of the package mysql2. */
interface Mysql {
  createConnection(options: object): Promise<MysqlConnection>;
}
interface MysqlConnection {
  query(sql: string): Promise<[readonly Record<string, unknown>[], unknown]>;
  execute(sql: string, values: readonly unknown[]): Promise<[readonly Record<string, unknown>[], unknown]>;
  end(): Promise<void>;
  destroy(): void;
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
        'MySQL’s REPEATABLE READ lets writes see more than reads do: isolab checks snapshot isolation, which it does not provide.',
    },
    { name: 'serializable', claims: 'serializable' },
  ],
  data: ['registers', 'lists', 'rows'],
  async open(address, limits) {
    const { createConnection } = await optionalPackage<Mysql>('mysql2/promise');
    const open = (): Promise<MysqlConnection> => opened(createConnection, address, limits);
    let data: DataKind = 'registers';
    const admin = await open().catch((error: unknown) => {
      throw new CollectorError(`No MySQL answers at ${address}: ${(error as Error).message}`, { cause: error });
    });
    const [[row]] = await admin.query('SELECT VERSION() AS version');
    const version = String(row!['version']);
    return {
      description: `${version.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${version}`,
      async prepare(kind, keep) {
        data = kind;
        for (const sql of requests.tables(kind, keep)) await asked(admin.query(sql));
      },
      connect: (isolation) => connect(open, data, isolation),
      close: () =>
        closed(
          () => admin.end(),
          () => admin.destroy(),
        ),
    };
  },
};

/** A client that the server has answered. */
async function opened(
  createConnection: Mysql['createConnection'],
  address: string,
  { connectMs }: Limits,
): Promise<MysqlConnection> {
  const uri = address.replace(/^mariadb:/, 'mysql:');
  // Numbers that a double does not hold come as text. Its own limit on connecting only ends what is given up below.
  const numbers = { supportBigNumbers: true, bigNumberStrings: false };
  const connecting = createConnection({ uri, connectTimeout: 2 * connectMs, ...numbers });
  const late = (): Error => new ConnectionLost(`no answer for ${connectMs / 1000} seconds`);
  try {
    const client = await within(connectMs, connecting, late);
    client.on('error', () => {}); // the query that is under way fails, too
    return client;
  } catch (error) {
    void connecting.then((client) => client.destroy()).catch(() => {});
    throw error;
  }
}

async function connect(open: () => Promise<MysqlConnection>, data: DataKind, { name }: Isolation): Promise<Connection> {
  const client = await open().catch((error: unknown) => {
    throw refused(error as Error);
  });
  const query: Query = async (sql, values) => (await asked(client.execute(sql, values)))[0];
  const run = async (sql: string, phase?: Phase): Promise<void> => void (await asked(client.query(sql), phase));
  await run(`SET SESSION TRANSACTION ISOLATION LEVEL ${name}`);
  return {
    begin: () => run('START TRANSACTION'),
    ask: (question) => requests.ask(query, data, question),
    commit: () => run('COMMIT', 'commit'),
    rollback: () => run('ROLLBACK'),
    close: () => client.end(),
    abandon: () => client.destroy(),
  };
}

async function asked<T>(answer: Promise<T>, phase: Phase = 'statement'): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw classified(error as Error, phase);
  }
}

interface MysqlError extends Error {
  readonly errno?: number;
  readonly sqlState?: string;
  readonly fatal?: boolean;
}

/** An error that the server reports carries an SQLSTATE; any other one means that the connection is gone. */
function classified(error: MysqlError, phase: Phase): Error {
  const { errno, sqlState, message } = error;
  const isFromServer = errno !== undefined && sqlState !== undefined && !sqlState.startsWith('08');
  return isFromServer
    ? meaningOf(MYSQL_OUTCOMES, String(errno), phase, error)
    : new ConnectionLost(message, { cause: error });
}

/** Why there is no connection: a server that is full or gone may take it later, a wrong name or password will not do. */
function refused(error: MysqlError): Error {
  const isFull = error.errno === 1040 || error.errno === 1203;
  return isFull ? new TooManyConnections(error.message, { cause: error }) : classified(error, 'statement');
}
