// Two transactions at SNAPSHOT read that there is no row. The first inserts it and commits. The second inserts the same
// key with ON CONFLICT DO UPDATE, does not see its own write, and commits. Two plain INSERTs of one key follow. As a
// control, two UPDATEs change one row, and the second is refused. Exits with 1 if a pair committed.
// Usage: node own-write.mjs SNAPSHOT
import process from 'node:process';
import stoolap from '@stoolap/node';

const [, , level = 'SNAPSHOT'] = process.argv;
const database = await stoolap.Database.open(':memory:');
const [version] = await database.query('SELECT version() AS version');
console.log(version.version);
let pairs = 0;

async function both(title, statement, isFirstCommittedFirst) {
  await database.exec('DROP TABLE IF EXISTS t');
  await database.exec('CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)');
  await database.exec('INSERT INTO t VALUES (2, 0)');
  const [one, two] = [database.clone(), database.clone()];
  for (const session of [one, two]) {
    await session.exec(`BEGIN TRANSACTION ISOLATION LEVEL ${level}`);
    await session.query('SELECT k, v FROM t');
  }
  let said = 'both committed';
  try {
    await one.execute(statement(1), []);
    if (isFirstCommittedFirst) await one.exec('COMMIT');
    await two.execute(statement(2), []);
    said += `; the second read ${JSON.stringify(await two.query('SELECT k, v FROM t'))} after its write`;
    if (!isFirstCommittedFirst) await one.exec('COMMIT');
    await two.exec('COMMIT');
    pairs++;
  } catch (error) {
    said = `refused: ${error.message}`;
  }
  console.log(`${title}: ${said}; the table holds ${JSON.stringify(await database.query('SELECT k, v FROM t'))}`);
}

const upsert = (v) => `INSERT INTO t (k, v) VALUES (1, ${v}) ON CONFLICT (k) DO UPDATE SET v = EXCLUDED.v`;
await both('upserts, one after the other', upsert, true);
await both('upserts, both before the first commit', upsert, false);
await both('inserts', (v) => `INSERT INTO t (k, v) VALUES (1, ${v})`, false);
await both('updates, the control', (v) => `UPDATE t SET v = ${v} WHERE k = 2`, true);
process.exitCode = pairs > 0 ? 1 : 0;
