// Three serializable transactions of which one should be refused: the first writes a and reads the old b; the second writes
// b; the third only reads, and sees the new b and the old a. The second also creates and drops tables, so that its COMMIT
// still takes a while when others can see it. In that time the third takes its snapshot, and then the first commits. Exits
// with 1 if all three committed. Needs the address of a server: node read-only-anomaly.mjs postgres://… ROUNDS TABLES
import process from 'node:process';
import pg from 'pg';

const [connectionString, rounds = '20', tables = '3000'] = process.argv.slice(2);
async function connect() {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}
const clients = [await connect(), await connect(), await connect()];
const [first, second, third] = clients;
const begin = (client) => client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
const write = (client, key, value) => client.query(`UPDATE t SET value = ${value} WHERE key = '${key}'`);
const read = async (client, key) => (await client.query(`SELECT value FROM t WHERE key = '${key}'`)).rows[0].value;
const commit = (client) => client.query('COMMIT');
const rollback = (client) => client.query('ROLLBACK');

console.log('PostgreSQL', (await first.query('SHOW server_version')).rows[0].server_version);
await first.query('DROP TABLE IF EXISTS t');
await first.query('CREATE TABLE t (key text PRIMARY KEY, value int)');
await first.query("INSERT INTO t VALUES ('a', 0), ('b', 0)");

async function round(value) {
  await begin(second);
  await write(second, 'b', value);
  await second.query(`DO $$ BEGIN
    FOR i IN 1..${tables} LOOP
      EXECUTE format('CREATE TABLE s%s (x int)', i);
      EXECUTE format('DROP TABLE s%s', i);
    END LOOP;
  END $$`);
  await begin(first);
  await write(first, 'a', value);
  const oldB = await read(first, 'b');
  const committing = commit(second);
  await begin(third);
  let newB = await read(third, 'b');
  while (newB !== value) {
    await rollback(third);
    await begin(third);
    newB = await read(third, 'b');
  }
  await commit(first);
  await committing;
  const oldA = await read(third, 'a');
  await commit(third);
  return `the first wrote a = ${value} and read b = ${oldB}; the second wrote b = ${value}; the third read b = ${newB} and a = ${oldA}`;
}

let complete = 0;
for (let value = 1; value <= Number(rounds); value++) {
  try {
    console.log(await round(value), '- all three committed');
    complete++;
  } catch (error) {
    console.log('refused:', error.message);
    for (const client of clients) await rollback(client);
  }
}
console.log(`all three committed in ${complete} of ${rounds} rounds`);
for (const client of clients) await client.end();
process.exitCode = complete > 0 ? 1 : 0;
