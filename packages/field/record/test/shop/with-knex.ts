import knex from 'knex';
import { type OpenShop, retrying } from './shop.ts';

/** The shop by Knex, a builder of queries. */
export const openKnexShop: OpenShop = (url, isCareful) => {
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 4 } });
  return {
    async prepare() {
      await db.schema.dropTableIfExists('items').dropTableIfExists('doctors');
      await db.schema.createTable('items', (table) => {
        table.integer('id').primary();
        table.text('name').notNullable();
        table.integer('stock').notNullable();
        table.timestamp('seen').defaultTo(db.fn.now());
      });
      await db.schema.createTable('doctors', (table) => {
        table.text('name').primary();
        table.boolean('on_call').notNullable();
      });
      await db('items').insert([
        { id: 1, name: 'bread', stock: 100 },
        { id: 2, name: 'jam', stock: 100 },
      ]);
      await db('doctors').insert([
        { name: 'alice', on_call: true },
        { name: 'bob', on_call: true },
      ]);
    },
    async buy(id, meet) {
      await db.transaction(async (trx) => {
        const read = trx('items').where({ id }).first('stock');
        const { stock } = await (isCareful ? read.forUpdate() : read);
        await meet();
        await trx('items')
          .where({ id })
          .update({ stock: stock - 1 });
      });
    },
    goOffCall: (name, meet) =>
      retrying(() =>
        db.transaction(
          async (trx) => {
            const onCall = await trx('doctors').where({ on_call: true }).select('name');
            await meet();
            if (onCall.length < 2) return false;
            await trx('doctors').where({ name }).update({ on_call: false });
            return true;
          },
          { isolationLevel: isCareful ? 'serializable' : 'repeatable read' },
        ),
      ),
    report: (id, meet) =>
      db.transaction(
        async (trx) => {
          const before = await trx('items').where({ id }).first('stock');
          await meet();
          await new Promise((resolve) => setTimeout(resolve, 30));
          const after = await trx('items').where({ id }).first('stock');
          return [before.stock, after.stock] as const;
        },
        { isolationLevel: isCareful ? 'repeatable read' : 'read committed' },
      ),
    everything: async () => [
      await db('items').select('id', 'name', 'stock').orderBy('id'),
      await db('doctors').select().orderBy('name'),
    ],
    close: () => db.destroy(),
  };
};
