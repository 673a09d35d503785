import process from 'node:process';
import pg from 'pg';
import { Recorder } from './isolab-recorder.mjs';

const recorder = new Recorder('history-{pid}.jsonl');
recorder.existing('accounts', 1, { owner: 'alice', balance: 100 }); // content from before the recording

const client = new pg.Client({ connectionString: process.env.POSTGRES_URL });
await client.connect();
await recorder.transaction(client, async (tx) => {
  const { rows } = await client.query('SELECT owner, balance FROM accounts WHERE id = 1');
  tx.readRow('accounts', 1, rows[0]);
  const changed = { ...rows[0], balance: rows[0].balance - 30 };
  await client.query('UPDATE accounts SET balance = $1 WHERE id = 1', [changed.balance]);
  tx.writeRow('accounts', 1, changed);
});
await client.end();
recorder.close();
