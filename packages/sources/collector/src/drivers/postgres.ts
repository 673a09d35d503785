import pg from 'pg';
import type { Connection, Database, Driver, Isolation, Limits } from '../database/database.ts';
import { Aborted, CollectorError, ConnectionLost, TooManyConnections } from '../database/errors.ts';
import { closed, within } from '@isolab/engines';
import { againIfLost } from './again-if-lost.ts';
import { type Outcomes, type Phase, answering, meaningOf, phaseOf, row } from '../database/outcomes.ts';
import { Batch } from './postgres-batch.ts';
import { spoken } from './spoken.ts';
import { DIALECTS } from './dialects.ts';
import { type Query, SqlRequests } from './sql.ts';

const POSTGRES_ISOLATIONS: readonly Isolation[] = [
  { name: 'read committed', claims: 'read-committed' },
  {
    name: 'repeatable read',
    claims: 'snapshot-isolation',
    warning: 'isolab checks snapshot isolation, which is what REPEATABLE READ means in PostgreSQL.',
  },
  { name: 'serializable', claims: 'serializable' },
];

const DIALECT = DIALECTS.postgres;

// The planner prefers a scan while the table is small, and at SERIALIZABLE a scan conflicts with every write.
const BY_INDEX = 'SET enable_seqscan = off';
const beginAt = (isolation: string): string => `BEGIN ISOLATION LEVEL ${isolation}`;

export const postgres: Driver = {
  schemes: ['postgres', 'postgresql'],
  title: 'PostgreSQL',
  needs: null,
  isolations: POSTGRES_ISOLATIONS,
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  takesSessionSetup: true,
  sql: spoken(DIALECT, {
    client: 'pg',
    outcomes: () => POSTGRES_OUTCOMES,
    session: () => [BY_INDEX],
    begin: beginAt,
  }),
  open: (address, limits) => openPostgres(address, limits),
};

/** Opens a database with the PostgreSQL protocol, which CockroachDB, YugabyteDB and others use as well. */
async function openPostgres(address: string, limits: Limits): Promise<Database> {
  let requests = new SqlRequests(DIALECT);
  let admin = await opened(address, limits).catch((error: unknown) => {
    throw new CollectorError(`There is no PostgreSQL server at ${address}: ${(error as Error).message}`, {
      cause: error,
    });
  });
  const version = await admin.query<{ version: string }>('SELECT version() AS version');
  return {
    description: version.rows[0]!.version.split(' on ')[0]!,
    takesLayout: true,
    takesStatements: true,
    takesLocks: true,
    async prepare(data, keep, tables, layout) {
      requests = new SqlRequests(DIALECT, data, layout);
      const make = async (): Promise<void> => {
        for (const sql of requests.tables(keep, tables)) await asked(admin.query(sql));
      };
      await againIfLost(make, async () => void (admin = await opened(address, limits)));
    },
    connect: (isolation) => connect(address, limits, requests, isolation),
    close: () =>
      closed(
        () => admin.end(),
        () => destroy(admin),
      ),
  };
}

/** Opens a client and waits for a first answer of the server. */
async function opened(address: string, { connectMs }: Limits): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  client.on('error', () => {}); // the pending query fails, too
  try {
    const late = (): Error => new ConnectionLost(`no answer for ${connectMs / 1000} seconds`);
    await within(connectMs, client.connect(), late);
  } catch (error) {
    destroy(client);
    throw error;
  }
  return client;
}

/** Closes the socket without a Terminate message, because a hanging server would not react to it. */
function destroy(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

async function connect(
  address: string,
  limits: Limits,
  requests: SqlRequests,
  { name }: Pick<Isolation, 'name'>,
): Promise<Connection> {
  const client = await opened(address, limits).catch((error: unknown) => {
    throw refused(error);
  });
  const batch = new Batch(client, beginAt(name), classified);
  const query: Query = (text, values) => batch.statement(text, values);
  const run = (text: string): Promise<void> => asked(client.query(text)).then(() => {});
  const session: string[] = [];
  for (const sql of wishesOf(limits)) await run(sql).then(() => session.push(sql), unlessRefused);
  for (const sql of limits.sessionSetup ?? []) await run(sql);
  return {
    async begin() {
      batch.begin();
    },
    ask: (question) => requests.ask(query, question),
    perform: (request) => requests.perform(query, request),
    async commit() {
      const command = await batch.commit();
      // After a failed statement, COMMIT succeeds but rolls back.
      if (command === 'ROLLBACK') throw new Aborted('PostgreSQL rolled back instead of committing.');
      if (command !== 'COMMIT') throw new CollectorError(`PostgreSQL answered ${command} to COMMIT.`);
    },
    rollback: () => batch.rollback(),
    sql: {
      begin: beginAt(name),
      session: [...session, ...(limits.sessionSetup ?? [])],
      send: async (text) => (await asked(client.query<Record<string, unknown>>(text), phaseOf(text))).rows,
    },
    close: () => client.end(),
    abandon: () => destroy(client),
  };
}

/** Lists the settings for the start of sessions, which a server may refuse. */
const wishesOf = ({ lockWaitMs = 1000 }: Limits): readonly string[] => [
  BY_INDEX,
  // Clients with frequent conflicts would spend all the time waiting.
  `SET lock_timeout = '${lockWaitMs}ms'`,
  "SET deadlock_timeout = '2ms'", // for superusers only
];

/** CockroachDB and others do not know all of these settings. */
function unlessRefused(error: unknown): void {
  if (error instanceof ConnectionLost) throw error;
}

const asked = answering(classified);

/** Classifies an error: with an SQLSTATE it comes from the server, otherwise the connection is lost. */
function classified(error: Error, phase: Phase): Error {
  const code = codeOf(error);
  return code === null
    ? new ConnectionLost(error.message, { cause: error })
    : meaningOf(POSTGRES_OUTCOMES, code, phase, error);
}

/**
 * Classifies a refused connection. A server that is full or down may accept it later; a wrong name or password stays
 * wrong.
 */
function refused(error: unknown): Error {
  if (codeOf(error) !== '53300') return classified(error as Error, 'statement');
  return new TooManyConnections((error as Error).message, { cause: error });
}

function codeOf(error: unknown): string | null {
  const { code } = error as { code?: unknown };
  // The system's code for a socket error, such as EPIPE, may look like an SQLSTATE.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !('syscall' in (error as object)) ? code : null;
}

/**
 * SQLSTATEs, after appendix A of PostgreSQL's manual, "PostgreSQL Error Codes", and, for 40003, CockroachDB's "Common
 * Errors" (result is ambiguous). A full code takes precedence over its class, its first two characters.
 */
export const POSTGRES_OUTCOMES: Outcomes = {
  database: 'PostgreSQL',
  keysOf: (code) => [code, code.slice(0, 2)],
  rows: [
    row('08', 'lost', 'unknown', 'the connection failed'),
    row('23', 'failed', 'aborted', 'a constraint is violated; a deferred constraint at COMMIT'),
    row('23505', 'aborted', 'aborted', 'two sessions inserted the same key'),
    row('25P02', 'aborted', 'aborted', 'an earlier statement failed'),
    row('25P03', 'lost', 'unknown', 'idle_in_transaction_session_timeout, which ends the connection'),
    row('25P04', 'lost', 'unknown', 'transaction_timeout, which ends the connection'),
    row('40000', 'aborted', 'aborted', 'transaction rollback'),
    row('40001', 'aborted', 'aborted', 'serialization failure'),
    row('40002', 'aborted', 'aborted', 'integrity constraint violation at COMMIT'),
    row('40003', 'aborted', 'unknown', 'statement completion unknown: at COMMIT, perhaps committed'),
    row('40P01', 'aborted', 'aborted', 'deadlock'),
    row('53100', 'failed', 'unknown', 'the disk is full'),
    row(
      '53200',
      'aborted',
      'unknown',
      'out of memory, or of shared memory for locks and, at SERIALIZABLE, for conflicts (RWConflictPool)',
    ),
    row('53300', 'lost', 'unknown', 'too many connections; reported as such at the first connection'),
    row('55P03', 'aborted', 'unknown', 'a lock is not available, or lock_timeout'),
    row('57014', 'aborted', 'unknown', 'canceled, such as by statement_timeout'),
    row('57P01', 'lost', 'unknown', 'the administrator ended the connection or the server'),
    row('57P02', 'lost', 'unknown', 'the server crashed'),
    row('57P03', 'lost', 'unknown', 'the server is starting up or shutting down'),
    row('57P04', 'lost', 'unknown', 'the database was dropped'),
    row('57P05', 'lost', 'unknown', 'idle_session_timeout'),
    row('58', 'failed', 'unknown', 'a system error, such as an I/O error'),
    row('72000', 'aborted', 'aborted', 'the snapshot is too old'),
    row('XX', 'failed', 'unknown', 'an internal error'),
  ],
};
