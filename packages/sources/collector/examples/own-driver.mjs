// Any database with a client for Node: here one that speaks PostgreSQL, at PGHOST, PGUSER, PGPASSWORD …
import pg from 'pg';

const outcomeOf = ({ code }) => (code?.startsWith('40') ? 'aborted' : code ? undefined : 'lost');

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
    begin: () => run(`BEGIN ISOLATION LEVEL ${level}`),
    commit: () => run('COMMIT'),
    rollback: () => run('ROLLBACK'),
    read: async (key) => (await query('SELECT v FROM own WHERE k = $1', [key]))[0]?.v ?? null,
    write: (key, value) => run('INSERT INTO own VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET v = $2', [key, value]),
    close: () => client.end(),
  };
}

export default {
  title: 'My database',
  isolations: { 'repeatable read': 'snapshot-isolation', serializable: 'serializable' },
  data: ['registers'],
  async open() {
    const admin = await connect();
    const prepare = async (_, keep) => {
      if (!keep) await admin.run('DROP TABLE IF EXISTS own');
      await admin.run('CREATE TABLE IF NOT EXISTS own (k TEXT PRIMARY KEY, v FLOAT8)');
    };
    return { prepare, connect, close: () => admin.close() };
  },
};
