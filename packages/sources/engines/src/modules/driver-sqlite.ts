/**
 * SQLite and libSQL, through packages with the interface of better-sqlite3. Each session has a connection; all share a
 * thread.
 */
import { join } from 'node:path';
import { SQLITE_OUTCOMES } from '../outcomes/index.ts';
import type { Sqlite, SqliteDatabase } from './better-sqlite3.ts';
import { load } from './load.ts';
import { type SqlConnection, type SqlDialect, SqlSession } from './sql-session.ts';
import type { Given, Opened } from './shape.ts';

const dialect: SqlDialect = {
  outcomes: SQLITE_OUTCOMES,
  codeOf: (error) => (error as { code?: string }).code ?? 'an error without a code',
};

/** All sessions share a thread: a session that waited for a lock would block the session that holds it. */
const NO_WAITING = { timeout: 0 };

function connectionOf(database: SqliteDatabase): SqlConnection {
  return {
    async query(sql, values) {
      // Lets other sessions run between two statements, as a server would.
      await new Promise((resolve) => setImmediate(resolve));
      const gives = /^SELECT|\bRETURNING\b/.test(sql);
      if (values.length === 0 && !gives) {
        database.exec(sql);
        return [];
      }
      const statement = database.prepare(sql);
      if (gives) return statement.all(...values);
      statement.run(...values);
      return [];
    },
    close() {
      // libSQL keeps the locks of a transaction that is open when its connection is closed.
      if (database.inTransaction) database.exec('ROLLBACK');
      database.close();
    },
  };
}

export default {
  title: 'SQLite',
  isolations: { serializable: 'serializable' },
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  dialect: 'sqlite',
  async open({ options, sessionSetup }: Given): Promise<Opened> {
    const { installed = '', data = '', package: name = '', begin = 'deferred', journal = 'wal' } = options;
    const { default: Sqlite } = await load<{ default: Sqlite }>(installed, name);
    const open = (): SqliteDatabase => new Sqlite(join(data, 'sqlite.db'), NO_WAITING);
    const admin = open();
    admin.prepare(`PRAGMA journal_mode = ${journal}`).all();
    const [found] = admin.prepare('SELECT sqlite_version() AS version').all();
    return {
      description: `${name === 'libsql' ? 'libSQL, SQLite' : 'SQLite'} ${String(found!['version'])}`,
      isTemporary: true,
      outlivesProcess: true,
      async prepare(_data, _keep, statements) {
        for (const sql of statements) admin.exec(sql);
      },
      async connect() {
        const client = open();
        client.exec('PRAGMA synchronous = off');
        for (const sql of sessionSetup) client.exec(sql);
        return new SqlSession(connectionOf(client), { ...dialect, begin: `BEGIN ${begin.toUpperCase()}` });
      },
      async close() {
        admin.close();
      },
    };
  },
};
