// PostgreSQL 12.3 at serializable: 20 of 20 trials violated serializability. The plain schedule never did; 4 other interleavings were tried.
// Serializability does not let all of these transactions commit with these replies.
// Required: T2 reads 57 after the commit of T1, which it does not see; before that read, another client writes the same key and commits.
// Run it: DATABASE_URL=postgres://me@localhost/postgres node --test FILE. It needs the package pg.
import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import pg from 'pg';

const ADDRESS = process.env.DATABASE_URL;
const ISOLATION = process.env.ISOLATION ?? "serializable";
/** Number of runs of the schedule. */
const RUNS = 1;
/** Number of other clients, with transactions of the same shape. */
const LOAD = 0;
/** Time without an answer, in milliseconds, after which others continue. */
const BLOCKED_MS = 150;

const SETUP = [
  "DROP TABLE IF EXISTS isolab_lists",
  "CREATE TABLE IF NOT EXISTS isolab_lists (k TEXT PRIMARY KEY, v TEXT) ",
  "INSERT INTO isolab_lists (k, v) VALUES ('-1', '1') ON CONFLICT (k) DO UPDATE SET v = COALESCE(isolab_lists.v || ',', '') || EXCLUDED.v",
];
const SESSION = [
  "SET enable_seqscan = off",
];
/** Steps in the order in which they are sent. `seen` is the value read when the database was wrong. */
const STEPS = [
  {"name":"T2_begin","terminal":1,"transaction":"T2","kind":"begin","sql":"BEGIN ISOLATION LEVEL {isolation}"},
  {"name":"T1_begin","terminal":0,"transaction":"T1","kind":"begin","sql":"BEGIN ISOLATION LEVEL {isolation}"},
  {"name":"T1_1","terminal":0,"transaction":"T1","kind":"append","sql":"INSERT INTO isolab_lists (k, v) VALUES ('57', '1') ON CONFLICT (k) DO UPDATE SET v = COALESCE(isolab_lists.v || ',', '') || EXCLUDED.v"},
  {"name":"T2_1","terminal":1,"transaction":"T2","kind":"append","sql":"INSERT INTO isolab_lists (k, v) VALUES ('58', '1') ON CONFLICT (k) DO UPDATE SET v = COALESCE(isolab_lists.v || ',', '') || EXCLUDED.v"},
  {"name":"T1_2","terminal":0,"transaction":"T1","kind":"read-list","sql":"SELECT v FROM isolab_lists WHERE k = '58'","seen":[]},
  {"name":"T1_commit","terminal":0,"transaction":"T1","kind":"commit","sql":"COMMIT"},
  {"name":"B1_begin","terminal":2,"transaction":"B1","kind":"begin","sql":"BEGIN ISOLATION LEVEL {isolation}"},
  {"name":"B1_1","terminal":2,"transaction":"B1","kind":"append","sql":"INSERT INTO isolab_lists (k, v) VALUES ('57', '2') ON CONFLICT (k) DO UPDATE SET v = COALESCE(isolab_lists.v || ',', '') || EXCLUDED.v"},
  {"name":"B1_commit","terminal":2,"transaction":"B1","kind":"commit","sql":"COMMIT"},
  {"name":"T2_2","terminal":1,"transaction":"T2","kind":"read-list","sql":"SELECT v FROM isolab_lists WHERE k = '57'","seen":[]},
  {"name":"T2_commit","terminal":1,"transaction":"T2","kind":"commit","sql":"COMMIT"},
];
/** The transactions that committed then. */
const COMMITTED = ["T1","T2","B1"];

test("3 transactions keep serializability", async () => {
  assert.ok(ADDRESS, 'Set DATABASE_URL to the address of a database, such as postgres://me@localhost/postgres.');
  for (let run = 1; run <= RUNS; run++) {
    const { replies, failed } = await play();
    const isWrong = COMMITTED.every((name) => !failed.has(name)) && STEPS.every(isAsSeen);
    function isAsSeen({ name, transaction, seen }) {
      return seen === undefined || !COMMITTED.includes(transaction) || JSON.stringify(replies[name]) === JSON.stringify(seen);
    }
    assert.ok(!isWrong, "all of these committed, which serializability forbids: " + JSON.stringify(replies));
  }
});

/** Sends every statement once those before it are answered, or blocked. */
async function play() {
  const admin = await connect();
  const terminals = [];
  const replies = {};
  const failed = new Set();
  let isOver = false;
  try {
    for (const sql of SETUP) await admin.query(sql);
    for (let i = 0; i <= Math.max(...STEPS.map(({ terminal }) => terminal)); i++) {
      terminals.push({ client: await connect(), last: Promise.resolve(), waits: 0 });
      for (const sql of SESSION) await terminals[i].client.query(sql.replace('{isolation}', ISOLATION));
    }
    const loads = await load(() => isOver);
    for (const step of STEPS) {
      const terminal = terminals[step.terminal];
      terminal.waits++;
      terminal.last = terminal.last.then(() => send(terminal.client, step)).finally(() => terminal.waits--);
      terminal.last.catch(() => {}); // it fails below
      await Promise.race([terminal.last, pause(BLOCKED_MS)]);
      if (terminals.some(({ waits }) => waits > 0)) await pause(30); // what waited may go on
    }
    const late = pause(10_000).then(() => assert.fail('The database did not answer within 10 seconds.'));
    await Promise.race([Promise.all(terminals.map(({ last }) => last)), late]);
    isOver = true;
    await Promise.all(loads);
  } finally {
    isOver = true;
    for (const { client } of [...terminals, { client: admin }]) await client.close();
  }
  return { replies, failed };

  async function send(client, step) {
    if (failed.has(step.transaction)) return;
    try {
      replies[step.name] = await ask(client, step);
    } catch (error) {
      if (!isAbort(error)) throw error; // no database is right because it does not work
      failed.add(step.transaction);
      replies[step.name] = String(error.message);
      await client.query('ROLLBACK').catch(() => {});
    }
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());

const load = async () => [];

/** Sends a statement, and reads the rows that come back. */
async function ask(client, { kind, sql, write, expected }) {
  const rows = await client.query(sql.replace('{isolation}', ISOLATION));
  const value = rows[0]?.v ?? null;
  switch (kind) {
    case 'read':
      return value === null ? null : Number(value);
    case 'read-list':
      return value === null ? [] : String(value).split(',').map(Number);
    case 'range':
      return rows.map((row) => ({ key: Number(row.k), value: Number(row.v), dead: Number(row.dead) !== 0 }));
    case 'compare-and-set': {
      const isExpected = (value === null ? null : Number(value)) === expected;
      if (isExpected) await client.query(write);
      return isExpected;
    }
    case 'insert':
    case 'delete': {
      const found = rows.map((row) => ({ value: Number(row.v), dead: Number(row.dead) !== 0 }));
      const isLive = found.length > 0 && !found[0].dead;
      if (isLive === (kind === 'delete')) await client.query(write);
      return found;
    }
    default:
      return 'done';
  }
}

async function connect() {
  const client = new pg.Client({ connectionString: ADDRESS });
  await client.connect();
  return { query: async (sql) => (await client.query(sql)).rows, close: () => client.end() };
}

/** Errors of PostgreSQL that refuse a transaction. */
const ABORTS = ["23505","25P02","40000","40001","40002","40003","40P01","53200","55P03","57014","72000"];
const isAbort = (error) => ABORTS.includes(error.code);
