// Eight connections append unique numbers to rows in transactions of BEGIN CONCURRENT. Each committed number must be
// in its row at the end. Exits with 1 if any is missing.
// Usage: node lost-append.mjs turso-0.5.3 INTEGER 6
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const [, , release = 'turso-0.5.3', type = 'INTEGER', seconds = '6'] = process.argv;
const { connect } = await import(release);
const file = join(mkdtempSync(join(tmpdir(), 'turso-')), 'lists.db');
const admin = await connect(file);
const mode = release === 'turso-0.4.4' ? 'experimental_mvcc' : 'mvcc';
await (await admin.prepare(`PRAGMA journal_mode = '${mode}'`)).all();
await admin.exec(`CREATE TABLE lists (k ${type} PRIMARY KEY, v TEXT)`);
const keyOf = (key) => (type === 'INTEGER' ? key : String(key));

const committed = [];
let [last, transactions, refused] = [0, 0, 0];
const end = Date.now() + 1000 * Number(seconds);
async function client() {
  const database = await connect(file);
  const append = await database.prepare(
    "INSERT INTO lists (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = lists.v || ',' || excluded.v",
  );
  while (Date.now() < end) {
    const mine = [];
    try {
      await database.exec('BEGIN CONCURRENT');
      for (let i = 0; i < 2; i++) {
        await new Promise(setImmediate);
        const value = ++last;
        await append.run(keyOf(Math.floor(value / 40) + Math.floor(Math.random() * 5)), String(value));
        mine.push(value);
      }
      await new Promise(setImmediate);
      await database.exec('COMMIT');
      transactions++;
      committed.push(...mine);
    } catch (error) {
      if (!/conflict|busy|locked/i.test(error.message)) throw error;
      refused++;
      await database.exec('ROLLBACK').catch(() => {});
    }
  }
}
await Promise.all(Array.from({ length: 8 }, client));
const rows = await (await admin.prepare('SELECT v FROM lists')).all();
const held = new Set(rows.flatMap(({ v }) => v.split(',').map(Number)));
const lost = committed.filter((value) => !held.has(value));
console.log(
  `${release}, ${type} keys: ${lost.length} of ${committed.length} committed appends are lost; ${transactions} transactions committed, ${refused} refused`,
);
process.exit(lost.length > 0 ? 1 : 0);
