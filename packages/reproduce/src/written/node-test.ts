import type { SpokenSql } from '@isolab/collector';
import { type Account, headOf, isRead } from './account.ts';
import { isDone } from '../expected.ts';
import type { Row } from '@isolab/workloads';
import type { Reply } from '../schedule.ts';
import { CLIENTS, abortsOf } from './node-clients.ts';

/** A test for `node --test` that needs the database's usual client only, and fails while the database is wrong. */
export function nodeTest(account: Account, sql: SpokenSql): string {
  const { script, isolation, tally, alike } = account;
  // Under a load, the replies of the schedule need not be those that are wrong; where nothing was wrong, none are.
  const asTold = account.load > 0 || !account.isViolated;
  const { variable, example, imports, code } = CLIENTS[sql.client];
  const share = tally.trials === 0 ? 0 : (asTold ? tally.asTold : alike) / tally.trials;
  return [
    ...headOf(account).map((line) => `// ${line.replaceAll(/\s+/g, ' ')}`),
    `// Run it: ${variable}=${example} node --test FILE. It needs the package ${sql.client}.`,
    ...(share < 1
      ? [`// These very replies came in ${Math.round(share * tally.trials)} of ${tally.trials} trials.`]
      : []),
    `import assert from 'node:assert/strict';`,
    `import process from 'node:process';`,
    `import { test } from 'node:test';`,
    imports,
    '',
    `const ADDRESS = process.env.${variable};`,
    `const ISOLATION = process.env.ISOLATION ?? ${quoted(isolation)};`,
    `/** How often the schedule is run. */`,
    `const RUNS = ${runsFor(share)};`,
    `/** Clients beside it, with transactions of the same shape. */`,
    `const LOAD = ${account.load};`,
    `/** After how long without an answer, in milliseconds, others go on. */`,
    `const BLOCKED_MS = 150;`,
    '',
    `const SETUP = ${list(script.before)};`,
    `const SESSION = ${list(sql.session(isolation).map((one) => replaced(one, isolation)))};`,
    `/** In the order in which they are sent; one that rushes is not waited for. \`seen\` is what was read when the database was wrong. */`,
    `const STEPS = ${list(stepsOf(account, asTold))};`,
    `/** The transactions that committed then. */`,
    `const COMMITTED = ${JSON.stringify(committedIn(account, asTold))};`,
    '',
    testOf(account, variable, example),
    PLAY,
    account.load > 0 ? LOADED : NO_LOAD,
    REPLY,
    code,
    abortsOf(sql),
    '',
  ].join('\n');
}

function testOf({ schedule, level }: Account, variable: string, example: string): string {
  return [
    `test(${quoted(`${schedule.transactions.length} transactions keep ${level.toLowerCase()}`)}, async () => {`,
    `  assert.ok(ADDRESS, 'Set ${variable} to the address of a database, such as ${example}.');`,
    `  for (let run = 1; run <= RUNS; run++) {`,
    `    const { replies, failed } = await play();`,
    `    const isWrong = COMMITTED.every((name) => !failed.has(name)) && STEPS.every(isAsSeen);`,
    `    function isAsSeen({ name, transaction, seen }) {`,
    `      return seen === undefined || !COMMITTED.includes(transaction) || JSON.stringify(replies[name]) === JSON.stringify(seen);`,
    `    }`,
    `    assert.ok(!isWrong, ${quoted(`all of these committed, which ${level.toLowerCase()} forbids: `)} + JSON.stringify(replies));`,
    `  }`,
    `});`,
    '',
  ].join('\n');
}

/** The statements, with the replies that are wrong: those of the trial that is shown, or of the history. */
function stepsOf({ schedule, script, isolation, observed, load }: Account, asTold: boolean): object[] {
  return schedule.steps.map((step, i) => {
    const { name, terminal, transaction, does } = step;
    const [statement, write] = script.steps[i]!;
    const seen = asTold ? step.told : isDone(observed[i]!) ? observed[i]!.reply : undefined;
    return {
      name,
      terminal,
      transaction: schedule.transactions[transaction]!.name,
      kind: does.kind,
      sql: does.kind === 'begin' ? replaced(statement!, isolation) : statement!,
      ...(step.rushes && { rushes: true }),
      ...(write !== undefined && { write }),
      ...(does.kind === 'compare-and-set' && { expected: does.expected }),
      ...(script.own[i] !== null && load > 0 && { own: script.own[i] }),
      ...(isRead(schedule, i) && seen !== undefined && { seen: comparable(does.kind, seen) }),
    };
  });
}

function committedIn({ schedule, observed }: Account, asTold: boolean): string[] {
  return schedule.transactions.flatMap(({ name, role }, transaction) => {
    const isCommitted = schedule.steps.some(
      (step, i) => step.transaction === transaction && step.does.kind === 'commit' && isDone(observed[i]!),
    );
    return (asTold ? role === 'story' : isCommitted) ? [name] : [];
  });
}

/** As often as it takes to see with a thousand to one what happens in such a share of the runs; once where it never did. */
const runsFor = (share: number): number =>
  share >= 1 || share <= 0 ? 1 : Math.min(1000, Math.ceil(Math.log(0.001) / Math.log(1 - share)));

/** A reply as the test reads it. */
const comparable = (kind: string, reply: Reply): unknown =>
  (kind === 'insert' || kind === 'delete') && Array.isArray(reply)
    ? (reply as readonly Row[]).map(({ value, dead }) => ({ value, dead }))
    : reply;

const quoted = (text: string): string => JSON.stringify(text);
const list = (items: readonly unknown[]): string =>
  items.length === 0 ? '[]' : `[\n${items.map((item) => `  ${JSON.stringify(item)},\n`).join('')}]`;

/** A statement with the isolation left open, to be filled in when it is sent. */
const replaced = (statement: string, isolation: string): string => statement.replace(isolation, '{isolation}');

const PLAY = `/** Sends every statement once those before it are answered, or blocked. */
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
      if (step.rushes) continue;
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
`;

const NO_LOAD = `const load = async () => [];
`;

const LOADED = `/** Other clients run the same transactions with values of their own, until it is over. */
async function load(isOver) {
  const names = [...new Set(STEPS.map(({ transaction }) => transaction))];
  let value = 1_000_000;
  const run = async (client) => {
    for (const sql of SESSION) await client.query(sql.replace('{isolation}', ISOLATION));
    while (!isOver()) {
      const name = names[Math.floor(Math.random() * names.length)];
      try {
        for (const step of STEPS.filter(({ transaction }) => transaction === name)) {
          const own = step.own === undefined ? step.sql : step.own.replace('{value}', String(value++));
          await ask(client, { ...step, sql: own });
        }
      } catch (error) {
        if (!isAbort(error)) throw error;
        await client.query('ROLLBACK').catch(() => {});
      }
    }
    await client.close();
  };
  const clients = await Promise.all(Array.from({ length: LOAD }, connect));
  return clients.map(run);
}
`;

const REPLY = `/** Sends a statement, and reads the rows that come back. */
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
`;
