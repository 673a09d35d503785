// Clients at SNAPSHOT read and update ten rows, which no transaction inserts or deletes. Counts committed reads of a row
// as absent. Exits with 1 if there were any. Usage: node absent-row.mjs 8 12 SNAPSHOT
import process from 'node:process';
import stoolap from '@stoolap/node';

const [, , clients = '8', seconds = '12', level = 'SNAPSHOT'] = process.argv;
const database = await stoolap.Database.open(':memory:');
await database.exec('CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)');
for (let k = 0; k < 10; k++) await database.execute('INSERT INTO t VALUES ($1, 0)', [k]);
let [value, transactions, reads, absent] = [0, 0, 0, 0];
const end = Date.now() + 1000 * Number(seconds);
async function client() {
  const session = database.clone();
  while (Date.now() < end) {
    let [asked, missed] = [0, 0];
    try {
      await session.exec(`BEGIN TRANSACTION ISOLATION LEVEL ${level}`);
      for (let i = 0; i < 4; i++) {
        const k = Math.floor(10 * Math.random());
        if (Math.random() < 0.5) {
          asked++;
          if ((await session.query('SELECT v FROM t WHERE k = $1', [k])).length === 0) missed++;
        } else await session.execute('UPDATE t SET v = $1 WHERE k = $2', [++value, k]);
      }
      await session.exec('COMMIT');
      transactions++;
      reads += asked;
      absent += missed;
    } catch {
      await session.exec('ROLLBACK').catch(() => {});
    }
  }
}
await Promise.all(Array.from({ length: Number(clients) }, client));
console.log(`${clients} clients at ${level}: ${absent} of ${reads} reads absent, in ${transactions} transactions`);
process.exit(absent > 0 ? 1 : 0);
