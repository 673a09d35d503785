// Two transactions read that there is no row. The first inserts it and commits. The second inserts the same key with
// ON CONFLICT DO UPDATE, does not see its own write, and commits, too: the first insert is lost. Exits with 1 if both
// committed.
import process from 'node:process';
import { DuckDBInstance } from '@duckdb/node-api';

const database = await DuckDBInstance.create(':memory:');
async function connect() {
  const connection = await database.connect();
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjects();
}
const [one, two, admin] = [await connect(), await connect(), await connect()];
const upsert = (value) => `INSERT INTO t VALUES ('x', ${value}) ON CONFLICT (k) DO UPDATE SET v = excluded.v`;

console.log((await admin('SELECT version() AS version'))[0].version);
await admin('CREATE TABLE t (k VARCHAR PRIMARY KEY, v BIGINT)');
await one('BEGIN');
await two('BEGIN');
for (const [name, query] of Object.entries({ one, two })) console.log(name, 'reads', await query('SELECT v FROM t'));
await one(upsert(1));
await one('COMMIT');
let refusal = null;
try {
  await two(upsert(2));
  console.log('two reads its own write as', await two('SELECT v FROM t'));
  await two('COMMIT');
} catch (error) {
  refusal = error.message;
}
console.log(refusal === null ? 'both committed' : `the second was refused: ${refusal}`);
console.log('the table holds', await admin('SELECT k, CAST(v AS INTEGER) AS v FROM t'));
process.exitCode = refusal === null ? 1 : 0;
