import { type Connection, type Driver, type Isolation, type Limits, optionalPackage } from '../database/database.ts';
import { CollectorError, ConnectionLost, TooManyConnections } from '../database/errors.ts';
import { closed, within } from '@isolab/engines';
import { againIfLost } from './again-if-lost.ts';
import { type Outcomes, type Phase, answering, meaningOf, phaseOf, row } from '../database/outcomes.ts';
import { spoken } from './spoken.ts';
import { DIALECTS } from './dialects.ts';
import { type Query, SqlRequests } from './sql.ts';

/** The part of the package mysql2 that this driver uses. */
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

const DIALECT = DIALECTS.mysql;

const BEGIN = 'START TRANSACTION';
const levelOf = (isolation: string): string => `SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`;

export const mysql: Driver = {
  schemes: ['mysql', 'mariadb'],
  title: 'MySQL or MariaDB',
  needs: 'mysql2',
  isolations: [
    { name: 'read committed', claims: 'read-committed' },
    {
      name: 'repeatable read',
      claims: 'read-committed-pl2',
      warning:
        'At REPEATABLE READ, MySQL reads from a snapshot, but updates change the newest version of a row, which later reads return. isolab checks Adya’s read committed. --level snapshot-isolation checks what MariaDB claims with innodb_snapshot_isolation=ON.',
    },
    { name: 'serializable', claims: 'serializable', beside: 'serializable' },
  ],
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  takesSessionSetup: true,
  sql: spoken(DIALECT, {
    client: 'mysql2',
    outcomes: () => MYSQL_OUTCOMES,
    session: (isolation) => [levelOf(isolation)],
    begin: () => BEGIN,
  }),
  async open(address, limits) {
    const { createConnection } = await optionalPackage<Mysql>('mysql2/promise');
    let requests = new SqlRequests(DIALECT);
    const open = (): Promise<MysqlConnection> => opened(createConnection, address, limits);
    let admin = await open().catch((error: unknown) => {
      throw new CollectorError(`There is no MySQL server at ${address}: ${(error as Error).message}`, { cause: error });
    });
    const [[server]] = await admin.query('SELECT VERSION() AS version');
    const version = String(server!['version']);
    return {
      description: `${version.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${version}`,
      takesLayout: true,
      takesStatements: true,
      takesLocks: true,
      async prepare(data, keep, tables, layout) {
        requests = new SqlRequests(DIALECT, data, layout);
        const make = async (): Promise<void> => {
          for (const sql of requests.tables(keep, tables)) await asked(admin.query(sql));
        };
        await againIfLost(make, async () => void (admin = await open()));
      },
      connect: (isolation) => connect(open, requests, isolation, limits),
      dirtyIsolations: ['read uncommitted'],
      close: () =>
        closed(
          () => admin.end(),
          () => admin.destroy(),
        ),
    };
  },
};

/** Opens a client and waits for a first answer of the server. */
async function opened(
  createConnection: Mysql['createConnection'],
  address: string,
  { connectMs }: Limits,
): Promise<MysqlConnection> {
  const uri = address.replace(/^mariadb:/, 'mysql:');
  // Numbers that a double does not represent exactly arrive as text. The client's own connection timeout only applies
  // to attempts that are given up below.
  const numbers = { supportBigNumbers: true, bigNumberStrings: false };
  const connecting = createConnection({ uri, connectTimeout: 2 * connectMs, ...numbers });
  const late = (): Error => new ConnectionLost(`no answer for ${connectMs / 1000} seconds`);
  try {
    const client = await within(connectMs, connecting, late);
    client.on('error', () => {}); // the pending query fails, too
    return client;
  } catch (error) {
    void connecting.then((client) => client.destroy()).catch(() => {});
    throw error;
  }
}

async function connect(
  open: () => Promise<MysqlConnection>,
  requests: SqlRequests,
  { name }: Pick<Isolation, 'name'>,
  { sessionSetup = [], lockWaitMs = 1000 }: Limits,
): Promise<Connection> {
  const client = await open().catch((error: unknown) => {
    throw refused(error as Error);
  });
  const query: Query = async (sql, values) => {
    // Some releases do not prepare statements such as SAVEPOINT.
    const [answer] = await asked(values.length === 0 ? client.query(sql) : client.execute(sql, values));
    if (Array.isArray(answer)) return answer as readonly Record<string, unknown>[];
    return (answer as { affectedRows?: number }).affectedRows ? [{}] : []; // result of an UPDATE
  };
  const run = async (sql: string, phase?: Phase): Promise<void> => void (await asked(client.query(sql), phase));
  await run(levelOf(name));
  // With the default of 50 seconds, one stall may last longer than a collection. TiDB and others may not know the
  // variable.
  const patience = `SET SESSION innodb_lock_wait_timeout = ${Math.ceil(lockWaitMs / 1000)}`;
  const isPatient = await run(patience).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ConnectionLost) throw error;
      return false;
    },
  );
  for (const sql of sessionSetup) await run(sql);
  return {
    begin: () => run(BEGIN),
    ask: (question) => requests.ask(query, question),
    perform: (request) => requests.perform(query, request),
    commit: () => run('COMMIT', 'commit'),
    rollback: () => run('ROLLBACK'),
    sql: {
      begin: BEGIN,
      session: [levelOf(name), ...(isPatient ? [patience] : []), ...sessionSetup],
      async send(text) {
        const [answer] = await asked(client.query(text), phaseOf(text));
        return Array.isArray(answer) ? (answer as readonly Record<string, unknown>[]) : [];
      },
    },
    close: () => client.end(),
    abandon: () => client.destroy(),
  };
}

const asked = answering(classified);

interface MysqlError extends Error {
  readonly errno?: number;
  readonly sqlState?: string;
  readonly fatal?: boolean;
}

/** Classifies an error: with an SQLSTATE it comes from the server, otherwise the connection is lost. */
function classified(error: MysqlError, phase: Phase): Error {
  const { errno, sqlState, message } = error;
  const isFromServer = errno !== undefined && sqlState !== undefined && !sqlState.startsWith('08');
  return isFromServer
    ? meaningOf(MYSQL_OUTCOMES, String(errno), phase, error)
    : new ConnectionLost(message, { cause: error });
}

/**
 * Classifies a refused connection. A server that is full or down may accept it later; a wrong name or password stays
 * wrong.
 */
function refused(error: MysqlError): Error {
  const isFull = error.errno === 1040 || error.errno === 1203;
  return isFull ? new TooManyConnections(error.message, { cause: error }) : classified(error, 'statement');
}

/**
 * Error numbers, after MySQL's "Error Message Reference" and "InnoDB Error Handling", MariaDB's "Error Codes", Galera's
 * manual on certification, and TiDB's "Error Codes". Most errors undo only their statement; the ROLLBACK that follows,
 * or the end of the connection, undoes the transaction. Numbers from 2000 to 2999 belong to the client.
 */
export const MYSQL_OUTCOMES: Outcomes = {
  database: 'MySQL',
  keysOf: (code) => (/^2\d{3}$/.test(code) ? [code, '2…'] : [code]),
  rows: [
    row('1020', 'aborted', 'aborted', 'the record has changed since it was read (MariaDB’s snapshots)'),
    row('1021', 'failed', 'unknown', 'the disk is full'),
    row('1040', 'lost', 'unknown', 'too many connections; reported as such at the first connection'),
    row('1041', 'failed', 'unknown', 'out of memory'),
    row('1047', 'lost', 'unknown', 'this node of Galera is not ready'),
    row('1053', 'lost', 'unknown', 'the server is shutting down'),
    row('1062', 'aborted', 'aborted', 'two sessions inserted the same key'),
    row('1114', 'failed', 'unknown', 'the table is full'),
    row('1152', 'lost', 'unknown', 'the connection was ended'),
    row('1158', 'lost', 'unknown', 'reading from the network failed'),
    row('1159', 'lost', 'unknown', 'reading from the network was too slow'),
    row('1160', 'lost', 'unknown', 'writing to the network failed'),
    row('1161', 'lost', 'unknown', 'writing to the network was too slow'),
    row('1180', 'failed', 'unknown', 'an error during COMMIT'),
    row('1184', 'lost', 'unknown', 'the connection was ended'),
    row('1203', 'lost', 'unknown', 'too many connections of this user; reported as such at the first connection'),
    row('1205', 'aborted', 'unknown', 'innodb_lock_wait_timeout: undoes only the statement by default'),
    row('1206', 'aborted', 'unknown', 'the lock table is full'),
    row('1213', 'aborted', 'aborted', 'deadlock, and at COMMIT a certification of Galera that failed'),
    row('1317', 'aborted', 'unknown', 'the query was interrupted'),
    row('1615', 'aborted', 'unknown', 'the prepared statement must be prepared again'),
    row('1637', 'aborted', 'unknown', 'too many transactions at once'),
    row('1927', 'lost', 'unknown', 'the connection was killed (MariaDB)'),
    row('1969', 'aborted', 'unknown', 'max_statement_time (MariaDB)'),
    row('3024', 'aborted', 'unknown', 'max_execution_time'),
    row('3101', 'aborted', 'aborted', 'Group Replication rolled it back at COMMIT'),
    row('3169', 'lost', 'unknown', 'the session was killed'),
    row('3572', 'aborted', 'unknown', 'a lock is not available'),
    row('4031', 'lost', 'unknown', 'the client was idle for too long'),
    row('8002', 'aborted', 'aborted', 'a write conflict (TiDB)'),
    row('8005', 'aborted', 'aborted', 'a write conflict (TiDB)'),
    row('8022', 'aborted', 'aborted', 'COMMIT failed and was rolled back (TiDB)'),
    row('8028', 'aborted', 'aborted', 'the schema changed, and the transaction was rolled back (TiDB)'),
    row('9001', 'lost', 'unknown', 'PD did not answer in time (TiDB)'),
    row('9002', 'lost', 'unknown', 'TiKV did not answer in time (TiDB)'),
    row('9005', 'lost', 'unknown', 'a region is not available (TiDB)'),
    row('9007', 'aborted', 'aborted', 'a write conflict (TiDB)'),
    row('2…', 'lost', 'unknown', 'the client found the connection gone'),
  ],
};
