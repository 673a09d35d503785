// One transaction updates a row and commits. Another one, whose snapshot is older, deletes the row by its old value, and
// commits, too: the update is lost, though two transactions that change the same row should conflict. Exits with 1 if
// both committed.
import process from 'node:process';
import { DuckDBInstance } from '@duckdb/node-api';

const database = await DuckDBInstance.create(':memory:');
async function connect() {
  const connection = await database.connect();
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjects();
}
const [one, two, admin] = [await connect(), await connect(), await connect()];

console.log((await admin('SELECT version() AS version'))[0].version);
await admin('CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER)');
await admin('INSERT INTO t VALUES (1, 10), (2, 20)');
await one('BEGIN');
await two('BEGIN');
console.log('one reads', await one('SELECT v FROM t WHERE id = 2'));
await two('UPDATE t SET v = 18 WHERE id = 2');
await two('COMMIT');
let refusal = null;
try {
  await one('DELETE FROM t WHERE v = 20');
  await one('COMMIT');
} catch (error) {
  refusal = error.message;
}
console.log(refusal === null ? 'both committed' : `the DELETE was refused: ${refusal}`);
console.log('the table holds', await admin('SELECT id, v FROM t ORDER BY id'));
process.exitCode = refusal === null ? 1 : 0;
