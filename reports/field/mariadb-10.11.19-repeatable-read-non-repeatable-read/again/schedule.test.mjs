// MariaDB 10.11.19-MariaDB-0+deb12u1 at repeatable read: 0 of 20 trials violated snapshot isolation; 20 kept it with all transactions committed. No other schedule did; 75 other interleavings were tried.
// Snapshot isolation held: these replies are from the last trial and show no violation.
// The tables of keys have the layout index=covering,read-by=index.
// Run it: DATABASE_URL=mysql://me@localhost/test node --test FILE. It needs the package mysql2.
// These replies came in 0 of 20 trials.
import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { createConnection } from 'mysql2/promise';

const ADDRESS = process.env.DATABASE_URL;
const ISOLATION = process.env.ISOLATION ?? "repeatable read";
/** Number of runs of the schedule. */
const RUNS = 1;
/** Time without an answer, in milliseconds, after which others continue. */
const BLOCKED_MS = 150;

const SETUP = [
  "DROP TABLE IF EXISTS isolab_registers",
  "CREATE TABLE IF NOT EXISTS isolab_registers (k VARCHAR(200) PRIMARY KEY, v BIGINT, s VARCHAR(200)) ENGINE = InnoDB",
  "CREATE INDEX isolab_registers_s ON isolab_registers (s, v)",
  "INSERT INTO isolab_registers (k, v, s) VALUES ('-1', 1, '-1') ON DUPLICATE KEY UPDATE v = VALUES(v)",
];
const SESSION = [
  "SET SESSION TRANSACTION ISOLATION LEVEL {isolation}",
];
/** Steps in the order in which they are sent. `seen` is the value read when the database was wrong. */
const STEPS = [
  {"name":"T2_begin","terminal":1,"transaction":"T2","kind":"begin","sql":"START TRANSACTION"},
  {"name":"T1_begin","terminal":0,"transaction":"T1","kind":"begin","sql":"START TRANSACTION"},
  {"name":"T2_1","terminal":1,"transaction":"T2","kind":"write","sql":"INSERT INTO isolab_registers (k, v, s) VALUES ('775', 1, '775') ON DUPLICATE KEY UPDATE v = VALUES(v)"},
  {"name":"T1_1","terminal":0,"transaction":"T1","kind":"read","sql":"SELECT v FROM isolab_registers WHERE s = '775'","seen":null},
  {"name":"T2_commit","terminal":1,"transaction":"T2","kind":"commit","sql":"COMMIT"},
  {"name":"T1_2","terminal":0,"transaction":"T1","kind":"read","sql":"SELECT v FROM isolab_registers WHERE s = '775'","seen":1},
  {"name":"T1_commit","terminal":0,"transaction":"T1","kind":"commit","sql":"COMMIT"},
];
/** The transactions that committed then. */
const COMMITTED = ["T1","T2"];

test("2 transactions keep snapshot isolation", async () => {
  assert.ok(ADDRESS, 'Set DATABASE_URL to the address of a database, such as mysql://me@localhost/test.');
  for (let run = 1; run <= RUNS; run++) {
    const { replies, failed } = await play();
    const isWrong = COMMITTED.every((name) => !failed.has(name)) && STEPS.every(isAsSeen);
    function isAsSeen({ name, transaction, seen }) {
      return seen === undefined || !COMMITTED.includes(transaction) || JSON.stringify(replies[name]) === JSON.stringify(seen);
    }
    assert.ok(!isWrong, "all of these committed, which snapshot isolation forbids: " + JSON.stringify(replies));
  }
});

/** Sends every statement once those before it are answered, or blocked. */
async function play() {
  const admin = await connect();
  const terminals = [];
  const replies = {};
  const failed = new Set();
  try {
    for (const sql of SETUP) await admin.query(sql);
    for (let i = 0; i <= Math.max(...STEPS.map(({ terminal }) => terminal)); i++) {
      terminals.push({ client: await connect(), last: Promise.resolve(), waits: 0 });
      for (const sql of SESSION) await terminals[i].client.query(sql.replace('{isolation}', ISOLATION));
    }
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
  } finally {
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

/** Sends a statement, and reads the rows that come back. */
async function ask(client, { kind, sql }) {
  const rows = await client.query(sql.replace('{isolation}', ISOLATION));
  const value = rows[0]?.v ?? null;
  switch (kind) {
    case 'read':
      return value === null ? null : Number(value);
    default:
      return 'done';
  }
}

async function connect() {
  const client = await createConnection({ uri: ADDRESS });
  return { query: async (sql) => [(await client.query(sql))[0]].flat(), close: () => client.end() };
}

/** Errors of MySQL that refuse a transaction. */
const ABORTS = ["1020","1062","1205","1206","1213","1317","1615","1637","1969","3024","3101","3572","8002","8005","8022","8028","9007"];
const isAbort = (error) => ABORTS.includes(String(error.errno));
