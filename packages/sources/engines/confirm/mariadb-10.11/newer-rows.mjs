// A transaction takes its snapshot at REPEATABLE READ with innodb_snapshot_isolation. Another one updates a row and
// commits. The first reads the row with a lock, which should fail with error 1020. Exits with 1 if it reads the newer row.
// The control: the same by the primary key, and FOR UPDATE. Usage: node newer-rows.mjs mysql://root@127.0.0.1:3306/test
import process from 'node:process';
import mysql from 'mysql2/promise';

const [, , uri] = process.argv;
const [reader, writer] = [await mysql.createConnection({ uri }), await mysql.createConnection({ uri })];
await reader.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
await reader.query('SET SESSION innodb_snapshot_isolation = ON');
const [[{ version }]] = await reader.query('SELECT VERSION() AS version');
console.log(version);
let newer = 0;
for (const where of ['k = 1', 's = 1'])
  for (const lock of ['LOCK IN SHARE MODE', 'FOR UPDATE']) {
    await writer.query('DROP TABLE IF EXISTS t');
    await writer.query('CREATE TABLE t (k INT PRIMARY KEY, s INT, v INT, KEY (s, v)) ENGINE = InnoDB');
    await writer.query('INSERT INTO t VALUES (1, 1, 0), (2, 2, 0)');
    await reader.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
    const [[before]] = await reader.query(`SELECT v FROM t WHERE ${where}`);
    await writer.query('UPDATE t SET v = 5 WHERE k = 1');
    const found = await reader.query(`SELECT v FROM t WHERE ${where} ${lock}`).then(
      ([[row]]) => `${row.v} after ${before.v}`,
      ({ errno }) => `error ${errno}`,
    );
    if (!found.startsWith('error')) newer++;
    console.log(`WHERE ${where} ${lock}: ${found}`);
    await reader.query('ROLLBACK');
  }
for (const connection of [reader, writer]) await connection.end();
process.exitCode = newer > 0 ? 1 : 0;
