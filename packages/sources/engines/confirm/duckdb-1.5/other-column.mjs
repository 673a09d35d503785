// Two transactions change one row, each a column that the other's condition reads. DuckDB documents that the second edit
// of a row fails with a conflict. The result has no serial order. As a control, both change one column, and the second is
// refused. Exits with 1 if both committed.
import process from 'node:process';
import { DuckDBInstance } from '@duckdb/node-api';

const database = await DuckDBInstance.create(':memory:');
async function connect() {
  const connection = await database.connect();
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjects();
}
const [one, two, admin] = [await connect(), await connect(), await connect()];
console.log((await admin('SELECT version() AS version'))[0].version);

async function isCommitted(title, first, second) {
  await admin('CREATE OR REPLACE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER)');
  await admin('INSERT INTO t VALUES (1, 10, 1), (2, 20, 2)');
  await one('BEGIN');
  await two('BEGIN');
  await two('SELECT a, b FROM t');
  let refusal = null;
  try {
    await one(first);
    await two(second);
    await one('COMMIT');
    await two('COMMIT');
  } catch (error) {
    refusal = error.message;
    await one('COMMIT').catch(() => {});
    await two('ROLLBACK').catch(() => {});
  }
  const row = JSON.stringify((await admin('SELECT a, b FROM t WHERE id = 2'))[0]);
  console.log(`${title}: ${refusal === null ? 'both committed' : `refused: ${refusal}`}; the row is ${row}`);
  return refusal === null;
}

const SET_A = 'UPDATE t SET a = 5 WHERE b = 2';
const both = await isCommitted('different columns', SET_A, 'UPDATE t SET b = 9 WHERE a = 20');
await isCommitted('the same column, the control', SET_A, 'UPDATE t SET a = 9 WHERE a = 20');
process.exitCode = both ? 1 : 0;
