// Two transactions: the first takes its snapshot, the second deletes the row of key 1 and commits, then the first inserts a
// row of key 1 and reads the table. Snapshot isolation refuses the insert, since both wrote key 1. Prints what the first
// read at each level. Exits with 1 if it read two rows of one primary key at REPEATABLE READ, and committed.
// Needs the address of a server: node two-rows-of-one-key.mjs postgres://…
import process from 'node:process';
import pg from 'pg';

const [connectionString] = process.argv.slice(2);
async function connect() {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}
const [first, second] = [await connect(), await connect()];
console.log('PostgreSQL', (await first.query('SHOW server_version')).rows[0].server_version);

async function play(level, insert) {
  await first.query('DROP TABLE IF EXISTS two_rows');
  await first.query('CREATE TABLE two_rows (key int PRIMARY KEY, value int)');
  await first.query('INSERT INTO two_rows VALUES (1, 1), (2, 2)');
  try {
    await first.query(`BEGIN ISOLATION LEVEL ${level}`);
    await first.query('SELECT * FROM two_rows WHERE key = 2');
    await second.query(`BEGIN ISOLATION LEVEL ${level}`);
    await second.query('DELETE FROM two_rows WHERE key = 1');
    await second.query('COMMIT');
    await first.query(insert);
    const { rows } = await first.query('SELECT value FROM two_rows WHERE key = 1 ORDER BY value');
    await first.query('COMMIT');
    return rows.map(({ value }) => value);
  } catch (error) {
    await first.query('ROLLBACK');
    return error.message;
  }
}

let isWrong = false;
for (const insert of [
  'INSERT INTO two_rows VALUES (1, 3)',
  'INSERT INTO two_rows VALUES (1, 3) ON CONFLICT DO NOTHING',
])
  for (const level of ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']) {
    const seen = await play(level, insert);
    console.log(`${level}, ${insert}: ${Array.isArray(seen) ? `committed, values of key 1: ${seen.join(' ')}` : seen}`);
    isWrong ||= level === 'REPEATABLE READ' && Array.isArray(seen) && seen.length > 1;
  }
await first.query('DROP TABLE two_rows');
await Promise.all([first.end(), second.end()]);
process.exitCode = isWrong ? 1 : 0;
