// One session at a time, so nothing is concurrent but transactions. A row is updated some times. A writer at SNAPSHOT
// updates it again, and a reader begins and reads it. After the writer's commit, the reader reads the row again,
// increments it and commits. If the writer's version is the tenth, twentieth and so on, the reader finds no row, and its
// UPDATE changes nothing without a conflict. The other numbers of versions are the control. Exits with 1 if a row was
// absent. Usage: node tenth-version.mjs 40
import process from 'node:process';
import stoolap from '@stoolap/node';

const [, , most = '40'] = process.argv;
const database = await stoolap.Database.open(':memory:');
const [version] = await database.query('SELECT version() AS version');
console.log(version.version);
const READ = 'SELECT n FROM t WHERE k = 1';

async function isAbsent(updates) {
  await database.exec('DROP TABLE IF EXISTS t');
  await database.exec('CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER)');
  await database.exec('INSERT INTO t VALUES (1, 0)');
  for (let n = 1; n <= updates; n++) await database.exec(`UPDATE t SET n = ${n} WHERE k = 1`);
  const [writer, reader] = [database.clone(), database.clone()];
  await writer.exec('BEGIN TRANSACTION ISOLATION LEVEL SNAPSHOT');
  await writer.exec('UPDATE t SET n = 100 WHERE k = 1');
  await reader.exec('BEGIN TRANSACTION ISOLATION LEVEL SNAPSHOT');
  const before = await reader.query(READ);
  await writer.exec('COMMIT');
  const after = await reader.query(READ);
  try {
    const { changes } = await reader.execute('UPDATE t SET n = n + 1 WHERE k = 1', []);
    await reader.exec('COMMIT');
    console.log(
      `after ${updates} updates the reader reads ${JSON.stringify(before)}, then ${JSON.stringify(after)}; its UPDATE changes ${changes} rows and commits`,
    );
  } catch {
    await reader.exec('ROLLBACK').catch(() => {}); // the conflict that is expected
  }
  return after.length === 0;
}

let absent = 0;
for (let updates = 0; updates < Number(most); updates++) if (await isAbsent(updates)) absent++;
console.log(`the row is absent after ${absent} of ${most} numbers of updates`);
process.exit(absent > 0 ? 1 : 0);
