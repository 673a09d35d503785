// Two transactions at SNAPSHOT read a row. The first deletes it and commits. The second, whose snapshot has the row,
// deletes it, too, and commits, though the first changed the row after this snapshot. As a control, two UPDATEs of a row
// follow, and the second is refused. Exits with 1 if both deletes committed.
import process from 'node:process';
import stoolap from '@stoolap/node';

const database = await stoolap.Database.open(':memory:');
const [version] = await database.query('SELECT version() AS version');
console.log(version.version);

async function isCommitted(title, statement) {
  await database.exec('DROP TABLE IF EXISTS t');
  await database.exec('CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)');
  await database.exec('INSERT INTO t VALUES (1, 10), (2, 20)');
  const [one, two] = [database.clone(), database.clone()];
  for (const session of [one, two]) {
    await session.exec('BEGIN TRANSACTION ISOLATION LEVEL SNAPSHOT');
    await session.query('SELECT k, v FROM t');
  }
  await one.execute(statement, []);
  await one.exec('COMMIT');
  try {
    const before = JSON.stringify(await two.query('SELECT k, v FROM t'));
    const { changes } = await two.execute(statement, []);
    await two.exec('COMMIT');
    console.log(`${title}: both committed; the second read ${before}, and its statement changed ${changes} rows`);
    return true;
  } catch (error) {
    console.log(`${title}: refused: ${error.message}`);
    return false;
  }
}

const both = await isCommitted('deletes of one row', 'DELETE FROM t WHERE k = 1');
await isCommitted('updates of one row, the control', 'UPDATE t SET v = v + 1 WHERE k = 2');
process.exitCode = both ? 1 : 0;
