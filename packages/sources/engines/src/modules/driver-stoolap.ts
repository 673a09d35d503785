/** Stoolap in this process, with a clone of the database for each session. */
import { STOOLAP_OUTCOMES } from '../outcomes/index.ts';
import { load } from './load.ts';
import { type SqlConnection, SqlSession } from './sql-session.ts';
import type { Given, Opened } from './shape.ts';

/** The part of @stoolap/node that this driver uses. */
interface Stoolap {
  readonly Database: { open(path: string): Promise<StoolapDatabase> };
}
interface StoolapDatabase {
  /** Returns another session of the same database. */
  clone(): StoolapDatabase;
  exec(sql: string): Promise<void>;
  execute(sql: string, values: readonly unknown[]): Promise<unknown>;
  query(sql: string, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

const connectionOf = (database: StoolapDatabase): SqlConnection => ({
  async query(sql, values) {
    if (/^SELECT|\bRETURNING\b/.test(sql)) return database.query(sql, values);
    await (values.length === 0 ? database.exec(sql) : database.execute(sql, values));
    return [];
  },
  close: () => database.close(),
});

export default {
  title: 'Stoolap',
  isolations: { 'READ COMMITTED': 'read-committed', SNAPSHOT: 'snapshot-isolation' },
  data: ['registers', 'lists', 'rows'],
  dialect: 'stoolap',
  async open({ options, sessionSetup }: Given): Promise<Opened> {
    const { installed = '', version = '' } = options;
    const { default: stoolap } = await load<{ default: Stoolap }>(installed, '@stoolap/node');
    const admin = await stoolap.Database.open(':memory:');
    return {
      description: `Stoolap ${version}`,
      isTemporary: true,
      async prepare(_data, _keep, statements) {
        for (const sql of statements) await admin.exec(sql);
      },
      async connect(isolation) {
        const client = admin.clone();
        for (const sql of sessionSetup) await client.exec(sql);
        return new SqlSession(connectionOf(client), {
          outcomes: STOOLAP_OUTCOMES,
          codeOf: (error) => (error as Error).message,
          parameter: (n) => `$${n}`,
          begin: `BEGIN TRANSACTION ISOLATION LEVEL ${isolation}`,
        });
      },
      close: () => admin.close(),
    };
  },
};
