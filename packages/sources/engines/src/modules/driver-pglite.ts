/** PGlite, PostgreSQL in WebAssembly. Sessions take turns on its single connection, for a whole transaction each. */
import { join } from 'node:path';
import { PGLITE_OUTCOMES } from '../outcomes/index.ts';
import { load } from './load.ts';
import { Turns } from './turns.ts';
import { type SqlDialect, SqlSession } from './sql-session.ts';
import type { Given, Opened } from './shape.ts';

/** The part of @electric-sql/pglite that this driver uses. */
interface Pglite {
  readonly PGlite: new (path?: string) => PgliteDatabase;
}
interface PgliteDatabase {
  readonly waitReady: Promise<void>;
  query(sql: string, values?: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  exec(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

const dialect: SqlDialect = {
  outcomes: PGLITE_OUTCOMES,
  codeOf: (error) => (error as { code?: string }).code ?? 'an error without a code',
  parameter: (n) => `$${n}`,
};

export default {
  title: 'PGlite',
  isolations: { serializable: 'serializable' },
  data: ['registers', 'counters', 'lists', 'rows', 'tables'],
  dialect: 'postgres',
  async open({ options, sessionSetup, lockWaitMs }: Given): Promise<Opened> {
    const { installed = '', data = '', storage = 'memory' } = options;
    const { PGlite } = await load<Pglite>(installed, '@electric-sql/pglite');
    const database = storage === 'memory' ? new PGlite() : new PGlite(join(data, 'pglite'));
    await database.waitReady;
    const [found] = (await database.query('SELECT version() AS version')).rows;
    const turns = new Turns(lockWaitMs);
    return {
      description: String(found!['version']).split(' on ')[0]!,
      isTemporary: true,
      async prepare(_data, _keep, statements) {
        for (const sql of statements) await database.exec(sql);
      },
      async connect() {
        const turn = turns.taker();
        let isOpen = false;
        const connection = {
          async query(sql: string, values: readonly unknown[]) {
            if (sql === 'ROLLBACK' && !turn.holds) return [];
            if (!turn.holds) {
              await turn.take();
              for (const statement of sessionSetup) await database.exec(statement);
            }
            if (sql.startsWith('BEGIN')) isOpen = true;
            else if (sql === 'COMMIT' || sql === 'ROLLBACK') isOpen = false;
            try {
              return (await database.query(sql, values)).rows;
            } finally {
              if (!isOpen) turn.pass(); // a single statement is a transaction of its own
            }
          },
          async close() {
            if (!turn.holds) return;
            await database.exec('ROLLBACK').finally(() => turn.pass());
          },
        };
        return new SqlSession(connection, { ...dialect, begin: 'BEGIN ISOLATION LEVEL SERIALIZABLE' });
      },
      close: () => database.close(),
    };
  },
};
