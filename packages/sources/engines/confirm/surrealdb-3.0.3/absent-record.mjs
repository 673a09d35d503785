// Ten records are made, and none is ever deleted. Eight clients run transactions that read and write some of them.
// Counts the committed transactions that read a record as absent, and exits with 1 if there were any.
import process from 'node:process';
import { createNodeEngines } from '@surrealdb/node';
import { Surreal } from 'surrealdb';

const [address = 'mem://', seconds = '20'] = process.argv.slice(2);
const RECORDS = 10;
const CLIENTS = 8;
const STEPS = 4;

const database = new Surreal({ engines: createNodeEngines() });
await database.connect(address);
await database.use({ namespace: 'confirm', database: 'confirm' });
for (let i = 0; i < RECORDS; i++) await database.query(`CREATE r:${i} SET v = 0`);

const counts = { committed: 0, aborted: 0, absent: 0 };
const end = Date.now() + 1000 * Number(seconds);
let value = 0;

async function client() {
  while (Date.now() < end) {
    const transaction = await database.beginTransaction();
    const read = {};
    try {
      for (let step = 0; step < STEPS; step++) {
        const record = Math.floor(Math.random() * RECORDS);
        if (Math.random() < 0.5) await transaction.query(`UPSERT r:${record} SET v = ${++value}`);
        else read[record] = (await transaction.query(`SELECT VALUE v FROM r:${record}`))[0][0];
      }
      await transaction.commit();
    } catch (error) {
      if (!/conflict/i.test(error.message)) throw error;
      counts.aborted++;
      await transaction.cancel().catch(() => {});
      continue;
    }
    counts.committed++;
    if (Object.values(read).includes(undefined)) {
      counts.absent++;
      console.log('committed after reading', read);
    }
  }
}

await Promise.all(Array.from({ length: CLIENTS }, client));
console.log(address, counts);
process.exit(counts.absent > 0 ? 1 : 0);
