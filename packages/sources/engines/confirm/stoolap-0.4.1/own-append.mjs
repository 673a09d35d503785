// Clients at READ COMMITTED append to lists in one statement, and read the list in the same transaction. Counts committed
// transactions whose read misses their own append. Exits with 1 if there were any. The control is one client.
// Usage: node own-append.mjs 8 20 "READ COMMITTED"
import process from 'node:process';
import stoolap from '@stoolap/node';

const [, , clients = '8', seconds = '20', level = 'READ COMMITTED'] = process.argv;
const UPSERT =
  "INSERT INTO t (k, v) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET v = COALESCE(t.v || ',', '') || EXCLUDED.v";
const UPDATE = "UPDATE t SET v = COALESCE(v || ',', '') || $2 WHERE k = $1";

async function missesOf(title, statement, isFilled) {
  const database = await stoolap.Database.open(':memory:');
  await database.exec('CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)');
  if (isFilled) for (let k = 0; k < 20_000; k++) await database.execute('INSERT INTO t (k, v) VALUES ($1, NULL)', [k]);
  let value = 0;
  let transactions = 0;
  let misses = 0;
  let unchanged = 0;
  const end = Date.now() + 1000 * Number(seconds);
  async function client() {
    const session = database.clone();
    while (Date.now() < end) {
      const mine = String(++value);
      const k = (Math.floor(value / 32) + Math.floor(4 * Math.random())) % 20_000;
      try {
        await session.exec(`BEGIN TRANSACTION ISOLATION LEVEL ${level}`);
        const { changes } = await session.execute(statement, [k, mine]);
        const [row] = await session.query('SELECT v FROM t WHERE k = $1', [k]);
        await session.exec('COMMIT');
        transactions++;
        if ((row?.v ?? '').split(',').includes(mine)) continue;
        misses++;
        if (changes === 0) unchanged++;
      } catch {
        await session.exec('ROLLBACK').catch(() => {});
      }
    }
  }
  await Promise.all(Array.from({ length: Number(clients) }, client));
  console.log(
    `${clients} clients at ${level}, ${title}: ${misses} of ${transactions} committed transactions miss their own append; ${unchanged} of these appends report no change`,
  );
  return misses;
}

const missed =
  (await missesOf('upserts', UPSERT, false)) + (await missesOf('updates of rows that exist', UPDATE, true));
process.exit(missed > 0 ? 1 : 0);
