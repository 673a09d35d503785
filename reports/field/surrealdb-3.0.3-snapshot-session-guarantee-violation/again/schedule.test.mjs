// SurrealDB 3.0.2 mem at snapshot: 1 of 75 interleavings violated snapshot isolation, but not again in the counted trials.
// Snapshot isolation does not let all of these transactions commit with these replies.
// Required: T2 reads 0 after the commit of T1, which it does not see; before that read, another client writes the same key and commits; statements after a commit are sent before the answer to the commit.
// It needed a load: 6 more clients that continuously run transactions of the same shape on the same keys.
// Run it: DATABASE=ADDRESS node --test FILE, with an address that isolab accepts. It needs the package isolab.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { replay } from 'isolab';

const ADDRESS = process.env.DATABASE;
const ISOLATION = process.env.ISOLATION ?? "snapshot";

test("3 transactions keep snapshot isolation", async () => {
  assert.ok(ADDRESS, 'Set DATABASE to the address of a database, such as h2@2.4.240 or module:./driver.mjs.');
  const schedule = readFileSync(new URL('schedule.json', import.meta.url), 'utf8');
  const options = { database: ADDRESS, isolation: ISOLATION, level: "snapshot-isolation", trials: 1 };
  const { tally, result } = await replay(schedule, options);
  assert.equal(tally.violated, 0, result);
  assert.equal(tally.undecided, 0, result); // a trial without a verdict is a failure
});
