import { type Driver, optionalPackage } from '../database/database.ts';
import { CollectorError } from '../database/errors.ts';
import { SQLITE_OUTCOMES, type Sqlite, type SqliteDatabase } from '@isolab/engines';
import { type Phase, meaningOf, phaseOf } from '../database/outcomes.ts';
import { spoken } from './spoken.ts';
import { DIALECTS } from './dialects.ts';
import { type Query, SqlRequests } from './sql.ts';

const DIALECT = DIALECTS.sqlite;

const BEGIN = 'BEGIN';

/** SQLite with a write-ahead log, in which readers run beside one writer. */
export const sqlite: Driver = {
  schemes: ['sqlite'],
  title: 'SQLite',
  needs: 'better-sqlite3',
  isolations: [{ name: 'serializable', claims: 'serializable' }],
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  takesSessionSetup: true,
  sql: spoken(DIALECT, { client: 'better-sqlite3', outcomes: () => SQLITE_OUTCOMES, begin: () => BEGIN }),
  async open(address, { sessionSetup = [] }) {
    let requests = new SqlRequests(DIALECT);
    const { default: SqliteClient } = await optionalPackage<{ default: Sqlite }>('better-sqlite3');
    const path = address.replace(/^sqlite:(?:\/\/)?/, '');
    if (path === '' || path === ':memory:')
      throw new CollectorError('sqlite: needs the path of a file, which all sessions share.');
    // All sessions share a thread: a session that waited for a lock would block the session that holds it.
    const open = (): SqliteDatabase => {
      try {
        return new SqliteClient(path, { timeout: 0 });
      } catch (error) {
        const [said] = (error as Error).message.split('\n');
        throw new CollectorError(`SQLite cannot open ${path}: ${said}`, { cause: error });
      }
    };
    const admin = open();
    admin.pragma('journal_mode = WAL');
    const [found] = admin.prepare('SELECT sqlite_version() AS version').all();
    return {
      description: `SQLite ${String(found!['version'])}`,
      takesLayout: true,
      takesStatements: true,
      async prepare(data, keep, tables, layout) {
        requests = new SqlRequests(DIALECT, data, layout);
        for (const sql of requests.tables(keep, tables)) await guarded(() => admin.exec(sql));
      },
      async connect() {
        const client = open();
        const query = async (sql: string, values: readonly unknown[], phase?: Phase): ReturnType<Query> => {
          return guarded(() => {
            const statement = client.prepare(sql);
            return statement.reader ? statement.all(...values) : (statement.run(...values), []);
          }, phase);
        };
        const run = (sql: string, phase?: Phase): Promise<void> => guarded(() => client.exec(sql), phase);
        for (const sql of sessionSetup) await run(sql);
        return {
          begin: () => run(BEGIN),
          ask: (question) => requests.ask(query, question),
          perform: (request) => requests.perform(query, request),
          commit: () => run('COMMIT', 'commit'),
          rollback: () => run('ROLLBACK'),
          sql: { begin: BEGIN, session: sessionSetup, send: (text) => query(text, [], phaseOf(text)) },
          close: async () => void client.close(),
          abandon: () => void client.close(),
        };
      },
      close: async () => admin.close(),
    };
  },
};

async function guarded<T>(run: () => T, phase: Phase = 'statement'): Promise<T> {
  // Lets other sessions run between two statements, as a server would.
  await new Promise((resolve) => setImmediate(resolve));
  try {
    return run();
  } catch (error) {
    const { code = 'an error without a code' } = error as { code?: string };
    throw meaningOf(SQLITE_OUTCOMES, code, phase, error as Error);
  }
}
