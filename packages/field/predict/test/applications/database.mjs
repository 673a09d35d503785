/** Connections to the database of DATABASE_URL, with a single way of asking PostgreSQL and MariaDB. */
import mysql from 'mysql2/promise';
import pg from 'pg';

const url = process.env.DATABASE_URL;
const isMariadb = url.startsWith('mysql:');

/** Opens a connection at READ COMMITTED; parameters are written as `?`. */
export async function open() {
  const client = isMariadb ? await mysql.createConnection(url) : new pg.Client({ connectionString: url });
  if (isMariadb) await client.query('set session transaction isolation level read committed');
  else await client.connect();
  return {
    async query(sql, ...parameters) {
      if (isMariadb) return (await (parameters.length > 0 ? client.execute(sql, parameters) : client.query(sql)))[0];
      let n = 0;
      return (
        await client.query(
          sql.replaceAll('?', () => `$${++n}`),
          parameters,
        )
      ).rows;
    },
    /** Runs one request in a transaction. */
    async transaction(work) {
      await client.query('begin');
      try {
        const result = await work((sql, ...parameters) => this.query(sql, ...parameters));
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback');
        throw error;
      }
    },
    end: () => client.end(),
  };
}
