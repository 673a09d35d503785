import type { SpokenSql } from '@isolab/collector';
import { type Account, headOf, isRead } from './account.ts';
import { isDone } from '../trials/expected.ts';
import type { WorkloadRow } from '@isolab/workloads';
import type { Reply } from '../../schedule/schedule.ts';
import { CLIENTS, abortsOf } from './node-clients.ts';
import { LOADED, askOf, playOf } from './node-play.ts';

/**
 * Writes a test for `node --test` that needs only the database's usual client and fails as long as the violation
 * occurs.
 */
export function nodeTest(account: Account, sql: SpokenSql): string {
  const { script, isolation, tally, alike } = account;
  // Under a load, the wrong replies may differ from those of the schedule. Without a violation, no reply is wrong.
  const asTold = account.load > 0 || !account.isViolated;
  const { variable, example, imports, code } = CLIENTS[sql.client];
  const share = tally.trials === 0 ? 0 : (asTold ? tally.asTold : alike) / tally.trials;
  return [
    ...headOf(account).map((line) => `// ${line.replaceAll(/\s+/g, ' ')}`),
    `// Run it: ${variable}=${example} node --test FILE. It needs the package ${sql.client}.`,
    ...(share < 1 ? [`// These replies came in ${Math.round(share * tally.trials)} of ${tally.trials} trials.`] : []),
    `import assert from 'node:assert/strict';`,
    `import process from 'node:process';`,
    `import { test } from 'node:test';`,
    imports,
    '',
    `const ADDRESS = process.env.${variable};`,
    `const ISOLATION = process.env.ISOLATION ?? ${quoted(isolation)};`,
    `/** Number of runs of the schedule. */`,
    `const RUNS = ${runsFor(share)};`,
    ...(account.load > 0
      ? [`/** Number of other clients, with transactions of the same shape. */`, `const LOAD = ${account.load};`]
      : []),
    `/** Time without an answer, in milliseconds, after which others continue. */`,
    `const BLOCKED_MS = 150;`,
    '',
    `const SETUP = ${list(script.before)};`,
    `const SESSION = ${list(sql.session(isolation).map((one) => replaced(one, isolation)))};`,
    `/** Steps in the order in which they are sent${rushes(account) ? '; a step that rushes is not waited for' : ''}. \`seen\` is the value read when the database was wrong. */`,
    `const STEPS = ${list(stepsOf(account, asTold))};`,
    `/** The transactions that committed then. */`,
    `const COMMITTED = ${JSON.stringify(committedIn(account, asTold))};`,
    '',
    testOf(account, variable, example),
    playOf({ isLoaded: account.load > 0, rushes: rushes(account) }),
    ...(account.load > 0 ? [LOADED] : []),
    askOf(new Set(account.schedule.steps.map(({ does }) => does.kind))),
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

/** Returns the statements with the wrong replies of the trial shown or of the history. */
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

const rushes = ({ schedule }: Account): boolean => schedule.steps.some((step) => step.rushes);

/**
 * Returns the number of runs in which an event with this probability occurs at least once with 99.9% certainty; 1 for
 * an event that never occurred.
 */
const runsFor = (share: number): number =>
  share >= 1 || share <= 0 ? 1 : Math.min(1000, Math.ceil(Math.log(0.001) / Math.log(1 - share)));

/** Converts a reply to the form in which the test reads it. */
const comparable = (kind: string, reply: Reply): unknown =>
  (kind === 'insert' || kind === 'delete') && Array.isArray(reply)
    ? (reply as readonly WorkloadRow[]).map(({ value, dead }) => ({ value, dead }))
    : reply;

const quoted = (text: string): string => JSON.stringify(text);
const list = (items: readonly unknown[]): string =>
  items.length === 0 ? '[]' : `[\n${items.map((item) => `  ${JSON.stringify(item)},\n`).join('')}]`;

/** Replaces the isolation level in a statement with a placeholder that the test fills in. */
const replaced = (statement: string, isolation: string): string => statement.replace(isolation, '{isolation}');
