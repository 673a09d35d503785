import { asc, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { boolean, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { type OpenShop, retrying } from './shop.ts';

const items = pgTable('items', {
  id: integer().primaryKey(),
  name: text().notNull(),
  stock: integer().notNull(),
  seen: timestamp().defaultNow(),
});

const doctors = pgTable('doctors', {
  name: text().primaryKey(),
  onCall: boolean('on_call').notNull(),
});

/** The shop by Drizzle, a typed ORM. */
export const openDrizzleShop: OpenShop = (url, isCareful) => {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  const db = drizzle(pool);
  return {
    async prepare() {
      await db.execute(sql`drop table if exists items, doctors`);
      await db.execute(
        sql`create table items (id int primary key, name text not null, stock int not null, seen timestamp default now())`,
      );
      await db.execute(sql`create table doctors (name text primary key, on_call boolean not null)`);
      await db.insert(items).values([
        { id: 1, name: 'bread', stock: 100 },
        { id: 2, name: 'jam', stock: 100 },
      ]);
      await db.insert(doctors).values([
        { name: 'alice', onCall: true },
        { name: 'bob', onCall: true },
      ]);
    },
    buy: (id, meet) =>
      db.transaction(async (tx) => {
        const read = tx.select({ stock: items.stock }).from(items).where(eq(items.id, id));
        const [item] = await (isCareful ? read.for('update') : read);
        await meet();
        await tx
          .update(items)
          .set({ stock: item!.stock - 1 })
          .where(eq(items.id, id));
      }),
    goOffCall: (name, meet) =>
      retrying(() =>
        db.transaction(
          async (tx) => {
            const onCall = await tx.select().from(doctors).where(eq(doctors.onCall, true));
            await meet();
            if (onCall.length < 2) return false;
            await tx.update(doctors).set({ onCall: false }).where(eq(doctors.name, name)).returning();
            return true;
          },
          { isolationLevel: isCareful ? 'serializable' : 'repeatable read' },
        ),
      ),
    report: (id, meet) =>
      db.transaction(
        async (tx) => {
          const read = () => tx.select().from(items).where(eq(items.id, id)).limit(1);
          const [before] = await read();
          await meet();
          await new Promise((resolve) => setTimeout(resolve, 30));
          const [after] = await read();
          return [before!.stock, after!.stock] as const;
        },
        { isolationLevel: isCareful ? 'repeatable read' : 'read committed' },
      ),
    everything: async () => [
      await db.select({ id: items.id, name: items.name, stock: items.stock }).from(items).orderBy(asc(items.id)),
      await db.select().from(doctors).orderBy(asc(doctors.name)),
    ],
    close: () => pool.end(),
  };
};
