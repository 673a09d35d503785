// Any database with a client for Node: here one that speaks PostgreSQL, at PGHOST, PGUSER, PGPASSWORD …
import pg from 'pg';

const outcomeOf = ({ code }) => (/^(40|23505)/.test(code) ? 'aborted' : code ? undefined : 'lost');

async function connect(level) {
  const client = new pg.Client();
  await client.connect();
  const query = async (sql, values) => {
    try {
      return (await client.query(sql, values)).rows;
    } catch (error) {
      throw Object.assign(error, { outcome: outcomeOf(error) });
    }
  };
  const run = async (sql, values) => void (await query(sql, values));
  return {
    run,
    sql: query,
    begin: () => run(`BEGIN ISOLATION LEVEL ${level}`),
    commit: () => run('COMMIT'),
    rollback: () => run('ROLLBACK'),
    close: () => client.end(),
  };
}

export default {
  title: 'My database',
  isolations: { 'repeatable read': 'snapshot-isolation', serializable: 'serializable' },
  dialect: 'postgres', // isolab writes the statements for all kinds of data, and varies keys and indexes
  async open() {
    const admin = await connect();
    const prepare = async (_data, _keep, statements) => {
      for (const sql of statements) await admin.run(sql);
    };
    return { prepare, connect, close: () => admin.close() };
  },
};
