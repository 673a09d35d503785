import { type Account, headOf } from './account.ts';

/**
 * Writes a test for `node --test` that uses isolab's library to run the schedule beside it and to check the history.
 */
export function libraryTest(account: Account): string {
  const { schedule, level, levelName, isolation, tally, layout } = account;
  const quoted = (text: string): string => JSON.stringify(text);
  return `${headOf(account)
    .map((line) => `// ${line.replaceAll(/\s+/g, ' ')}`)
    .join('\n')}
// Run it: DATABASE=ADDRESS node --test FILE, with an address that isolab accepts. It needs the package isolab.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { replay } from 'isolab';

const ADDRESS = process.env.DATABASE;
const ISOLATION = process.env.ISOLATION ?? ${quoted(isolation)};

test(${quoted(`${schedule.transactions.length} transactions keep ${level.toLowerCase()}`)}, async () => {
  assert.ok(ADDRESS, 'Set DATABASE to the address of a database, such as h2@2.4.240 or module:./driver.mjs.');
  const schedule = readFileSync(new URL('schedule.json', import.meta.url), 'utf8');
  const options = { database: ADDRESS, isolation: ISOLATION, level: ${quoted(levelName)}, trials: ${tally.trials}${layout === undefined ? '' : `, layout: ${quoted(layout)}`} };
  const { tally, result } = await replay(schedule, options);
  assert.equal(tally.violated, 0, result);
  assert.equal(tally.undecided, 0, result); // a trial without a verdict is a failure
});
`;
}
