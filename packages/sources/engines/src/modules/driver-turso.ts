/** Turso in this process, with a connection for each session. */
import { join } from 'node:path';
import { TURSO_OUTCOMES } from '../outcomes/index.ts';
import { pause } from '../engine/time.ts';
import { load } from './load.ts';
import { type SqlConnection, type SqlDialect, SqlSession } from './sql-session.ts';
import type { Given, Opened } from './shape.ts';

/** The part of @tursodatabase/database that this driver uses. */
interface Turso {
  connect(path: string, options?: object): Promise<TursoDatabase>;
}
interface TursoDatabase {
  exec(sql: string): Promise<unknown>;
  prepare(sql: string): TursoStatement | Promise<TursoStatement>;
  close(): Promise<void> | void;
}
interface TursoStatement {
  all(...values: unknown[]): Promise<Record<string, unknown>[]>;
  run(...values: unknown[]): Promise<unknown>;
  close?(): void;
}

const dialect: SqlDialect = { outcomes: TURSO_OUTCOMES, codeOf: (error) => (error as Error).message };

/** Each mode has its own file, because all connections to a file share its journal mode. */
const MODES = {
  concurrent: { begin: 'BEGIN CONCURRENT', journals: ['mvcc', 'experimental_mvcc'] },
  deferred: { begin: 'BEGIN', journals: ['wal'] },
} as const;

type Mode = keyof typeof MODES;

async function query(
  database: TursoDatabase,
  sql: string,
  values: readonly unknown[],
): Promise<Record<string, unknown>[]> {
  const statement = await database.prepare(sql);
  try {
    if (/^SELECT|^PRAGMA|\bRETURNING\b/.test(sql)) return await statement.all(...values);
    await statement.run(...values);
    return [];
  } finally {
    statement.close?.();
  }
}

const connectionOf = (database: TursoDatabase): SqlConnection => ({
  query: (sql, values) => query(database, sql, values),
  close: () => database.close(),
});

/** Sets the journal mode under the name that this release uses. */
async function setJournal(database: TursoDatabase, mode: Mode): Promise<void> {
  const { journals } = MODES[mode];
  const said: unknown[] = [];
  for (const journal of journals) {
    try {
      const [found] = await query(database, `PRAGMA journal_mode = '${journal}'`, []);
      const [answer] = Object.values(found ?? {});
      if (answer === journal || (mode === 'concurrent' && String(answer).includes('mvcc'))) return;
      said.push(answer);
    } catch (error) {
      said.push(error);
    }
  }
  throw new Error(
    `this release does not support journal_mode ${journals.join(' or ')}: it answered ${said.map(String).join(', ')}`,
  );
}

async function whileLocked(act: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + LOCKED_MS;
  for (;;) {
    try {
      await act();
      return;
    } catch (error) {
      if (!(error as Error).message.includes('locked') || performance.now() > end) throw error;
      await pause(20);
    }
  }
}

const LOCKED_MS = 5_000;

export default {
  title: 'Turso',
  isolations: { concurrent: 'snapshot-isolation', deferred: 'serializable' },
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  dialect: 'sqlite',
  async open({ options, sessionSetup }: Given): Promise<Opened> {
    const { installed = '', data = '', version = '' } = options;
    const { connect } = await load<Turso>(installed, '@tursodatabase/database');
    const open = (mode: string): Promise<TursoDatabase> => connect(join(data, `${mode}.db`));
    const admins = new Map<Mode, TursoDatabase>();
    let making: readonly string[] = [];
    return {
      description: `Turso ${version}`,
      isTemporary: true,
      outlivesProcess: true,
      async prepare(_data, _keep, statements) {
        making = statements;
        for (const admin of admins.values()) for (const sql of making) await admin.exec(sql);
      },
      async connect(isolation: string) {
        const mode = isolation as Mode;
        if (!admins.has(mode)) {
          const admin = await open(mode);
          admins.set(mode, admin);
          // After a kill, the first sessions already write.
          await whileLocked(() => setJournal(admin, mode));
          for (const sql of making) await whileLocked(() => admin.exec(sql));
        }
        const client = await open(mode);
        for (const sql of sessionSetup) await client.exec(sql);
        return new SqlSession(connectionOf(client), { ...dialect, begin: MODES[mode].begin });
      },
      async close() {
        for (const admin of admins.values()) await admin.close();
      },
    };
  },
};
