import { and, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable } from 'drizzle-orm/pg-core';
import { drizzle as drizzleOnMysql } from 'drizzle-orm/mysql2';
import { int, mysqlTable } from 'drizzle-orm/mysql-core';
import knex from 'knex';
import mysql from 'mysql2/promise';
import pg from 'pg';

export type Level = 'read committed' | 'repeatable read' | 'serializable';
export interface Columns {
  readonly id: number;
  readonly amount: number;
  readonly part: number;
}

/** A transaction of an application, in the words of an ORM. */
export interface Transaction {
  get(id: number, isLocked?: boolean): Promise<Columns>;
  having(part: number): Promise<readonly Columns[]>;
  set(id: number, amount: number): Promise<unknown>;
  decrement(id: number): Promise<unknown>;
  insert(row: Columns): Promise<unknown>;
}

/** One table of an application, with the columns `id`, `amount` and `part`. */
export interface Application {
  run<T>(level: Level, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export type Orm = (url: string, table: string) => Application;

export const withKnex: Orm = (url, table) => {
  const client = isMariadb(url) ? 'mysql2' : 'pg';
  const db = knex({ client, connection: url, pool: { min: 0, max: 8 } });
  return {
    run: (isolationLevel, work) =>
      db.transaction(
        (trx) =>
          work({
            async get(id, isLocked = false) {
              const query = trx(table).where({ id }).first();
              return isLocked ? query.forUpdate() : query;
            },
            having: async (part) => trx(table).where({ part }),
            set: async (id, amount) => trx(table).where({ id }).update({ amount }),
            decrement: async (id) => trx(table).where({ id }).decrement('amount', 1),
            insert: async (row) => trx(table).insert(row),
          }),
        { isolationLevel },
      ),
    close: () => db.destroy(),
  };
};

export const withDrizzle: Orm = (url, table) =>
  isMariadb(url) ? withDrizzleOnMariadb(url, table) : withDrizzleOnPostgres(url, table);

const isMariadb = (url: string): boolean => url.startsWith('mysql:');

const withDrizzleOnMariadb: Orm = (url, table) => {
  const pool = mysql.createPool({ uri: url, connectionLimit: 8 });
  const rows = mysqlTable(table, { id: int().primaryKey(), amount: int().notNull(), part: int().notNull() });
  return {
    run: (isolationLevel, work) =>
      drizzleOnMysql(pool).transaction(
        (tx) =>
          work({
            async get(id, isLocked = false) {
              const query = tx.select().from(rows).where(eq(rows.id, id));
              return (await (isLocked ? query.for('update') : query))[0]!;
            },
            having: (part) => tx.select().from(rows).where(eq(rows.part, part)),
            set: (id, amount) => tx.update(rows).set({ amount }).where(eq(rows.id, id)),
            decrement: (id) =>
              tx
                .update(rows)
                .set({ amount: sql`${rows.amount} - 1` })
                .where(eq(rows.id, id)),
            insert: (row) => tx.insert(rows).values(row),
          }),
        { isolationLevel },
      ),
    close: () => pool.end(),
  };
};

const withDrizzleOnPostgres: Orm = (url, table) => {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  const rows = pgTable(table, { id: integer().primaryKey(), amount: integer().notNull(), part: integer().notNull() });
  return {
    run: (isolationLevel, work) =>
      drizzle(pool).transaction(
        (tx) =>
          work({
            async get(id, isLocked = false) {
              const query = tx.select().from(rows).where(eq(rows.id, id));
              return (await (isLocked ? query.for('update') : query))[0]!;
            },
            having: (part) =>
              tx
                .select()
                .from(rows)
                .where(and(eq(rows.part, part))),
            set: (id, amount) => tx.update(rows).set({ amount }).where(eq(rows.id, id)),
            decrement: (id) =>
              tx
                .update(rows)
                .set({ amount: sql`${rows.amount} - 1` })
                .where(eq(rows.id, id)),
            insert: (row) => tx.insert(rows).values(row),
          }),
        { isolationLevel },
      ),
    close: () => pool.end(),
  };
};
