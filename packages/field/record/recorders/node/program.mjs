/**
 * What the tests run: program.mjs MODE FILE. POSTGRES_URL is the database; STALLING_URL leads to the same one through a proxy
 * that does not let COMMIT pass.
 */
import process from 'node:process';
import pg from 'pg';
import { Recorder, isRefusal, outcomeOfCommit } from './isolab-recorder.mjs';

const { POSTGRES_URL, STALLING_URL } = process.env;
const SETUP = `
  CREATE TABLE IF NOT EXISTS kv (k TEXT PRIMARY KEY, v BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS accounts (id INT PRIMARY KEY, owner TEXT NOT NULL, balance INT NOT NULL);
  TRUNCATE kv, accounts;
  INSERT INTO kv VALUES ('a', 0), ('b', 0), ('c', 0);
  INSERT INTO accounts VALUES (1, 'alice', 100), (2, 'bob', 100)`;
const SERIALIZABLE = { begin: 'BEGIN ISOLATION LEVEL SERIALIZABLE' };

async function connect(url = POSTGRES_URL) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // queries that fail say so themselves
  await client.connect();
  return client;
}

async function read(client, tx, key) {
  const { rows } = await client.query('SELECT v FROM kv WHERE k = $1', [key]);
  tx.read(key, Number(rows[0].v)); // the driver gives a BIGINT as a text
}

async function write(client, tx, key, value) {
  await client.query('UPDATE kv SET v = $1 WHERE k = $2', [value, key]);
  tx.write(key, value);
}

async function transfer(client, tx) {
  for (const [id, change] of [
    [1, -1],
    [2, 1],
  ]) {
    const { rows } = await client.query('SELECT owner, balance FROM accounts WHERE id = $1', [id]);
    tx.readRow('accounts', id, rows[0]);
    const changed = { ...rows[0], balance: rows[0].balance + change };
    await client.query('UPDATE accounts SET balance = $1 WHERE id = $2', [changed.balance, id]);
    tx.writeRow('accounts', id, changed);
  }
}

/** Every third transaction moves money, the others write a value of their own to a key. */
async function work(client, tx, number, i) {
  if (i % 3 !== 0) {
    const key = 'abc'[(number + i) % 3];
    await read(client, tx, key);
    await write(client, tx, key, (number + 1) * 1000 + i);
    return;
  }
  await transfer(client, tx);
  if (i % 9 === 0) throw new Error('the application changes its mind');
}

async function run(recorder, client, number, i) {
  for (;;) {
    try {
      return await recorder.transaction(client, (tx) => work(client, tx, number, i), SERIALIZABLE);
    } catch (error) {
      if (error.message === 'the application changes its mind') return undefined;
      if (outcomeOfCommit(error) !== 'aborted') throw error;
    }
  }
}

async function clients(recorder, count, transactions) {
  const connections = await Promise.all(Array.from({ length: count }, () => connect()));
  const one = async (client, number) => {
    for (let i = 0; i < transactions; i++) await run(recorder, client, number, i);
    await client.end();
  };
  await Promise.all(connections.map(one));
}

async function stall(recorder) {
  const client = await connect(STALLING_URL);
  await recorder.transaction(client, async (tx) => {
    await client.query("INSERT INTO kv VALUES ('stalled', 1)");
    tx.write('stalled', 1);
  });
}

const MODES = {
  serializable: (recorder) => clients(recorder, 4, 30),

  'lost-update': async (recorder) => {
    const [one, other, third] = [await connect(), await connect(), await connect()];
    await recorder.transaction(one, async (first) => {
      await read(one, first, 'a');
      await recorder.transaction(other, async (second) => {
        await read(other, second, 'a');
        await write(other, second, 'a', 2);
      });
      await write(one, first, 'a', 1);
    });
    await recorder.transaction(third, (last) => read(third, last, 'a'));
    await Promise.all([one.end(), other.end(), third.end()]);
  },

  /** A statement fails, and the application goes on to COMMIT, which PostgreSQL answers with ROLLBACK. */
  failed: async (recorder) => {
    const client = await connect();
    await recorder.transaction(client, async (tx) => {
      await write(client, tx, 'a', 9);
      await client.query("INSERT INTO kv VALUES ('a', 1)").catch(() => {});
    });
    await run(recorder, client, 2, 1);
    await client.end();
  },

  /** Values of all kinds, and some that are refused. */
  values: (recorder) => {
    const connection = {};
    const tx = recorder.begin(connection);
    tx.write('é "quoted"\n\\ \u0001\u007f 😀', 2n ** 63n - 1n);
    tx.write(-5, '</script>\u2028');
    tx.write('nothing', null);
    tx.writeRow('t', 'k', { f: 0.5, small: 1e-7, b: true, n: null, s: 'é"', i: -7, w: 2 });
    tx.writeRow('t', 7, null);
    tx.readRow('t', 8, null);
    tx.committing();
    tx.committed();
    const wrong = [
      (other) => other.write('x', 0.5),
      (other) => other.write(null, 1),
      (other) => other.writeRow('a/b', 1, {}),
      (other) => other.writeRow('t', 1, { a: 2 ** 53 }),
      (other) => other.writeRow('t', 1, { a: NaN }),
      (other) => other.writeRow('t', 1, { '': 1 }),
    ];
    const isRefused = (what) => {
      const other = recorder.begin(connection);
      try {
        what(other);
        return false;
      } catch (error) {
        return error instanceof TypeError;
      } finally {
        other.aborted();
      }
    };
    process.stdout.write(String(wrong.filter(isRefused).length));
  },

  /** Goes on until it is killed, while one transaction waits for the answer to its COMMIT. */
  killed: (recorder) => Promise.all([stall(recorder), clients(recorder, 2, 1e6)]),

  /** The connection is lost while COMMIT is answered, and the application goes on with another one. */
  'lost-commit': async (recorder) => {
    await stall(recorder).catch((error) => process.stdout.write(outcomeOfCommit(error)));
    const client = await connect();
    await run(recorder, client, 0, 1);
    await client.end();
  },
};

const [, , mode, ...rest] = process.argv;
if (mode === 'refusals') process.stdout.write(rest.filter(isRefusal).join(' '));
else {
  const client = await connect();
  await client.query(SETUP);
  await client.end();
  const recorder = new Recorder(rest[0], { initial: 0, database: 'PostgreSQL' });
  recorder.existing('accounts', 1, { owner: 'alice', balance: 100 });
  recorder.existing('accounts', 2, { owner: 'bob', balance: 100 });
  await MODES[mode](recorder);
  recorder.close();
}
