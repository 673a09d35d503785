// Berkeley DB Java Edition 18.3.12 at serializable: 16 of 20 trials violated serializability; 4 aborted. This needed 6 more clients beside the schedule; 67 other interleavings were tried.
// Serializability does not let all of these transactions commit with these replies.
// Required: statements after a commit are sent before the answer to the commit.
// It needed a load: 6 more clients that continuously run transactions of the same shape on the same keys.
// Run it: DATABASE=ADDRESS node --test FILE, with an address that isolab accepts. It needs the package isolab.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { replay } from 'isolab';

const ADDRESS = process.env.DATABASE;
const ISOLATION = process.env.ISOLATION ?? "serializable";

test("2 transactions keep serializability", async () => {
  assert.ok(ADDRESS, 'Set DATABASE to the address of a database, such as h2@2.4.240 or module:./driver.mjs.');
  const schedule = readFileSync(new URL('schedule.json', import.meta.url), 'utf8');
  const options = { database: ADDRESS, isolation: ISOLATION, level: "serializable", trials: 20 };
  const { tally, result } = await replay(schedule, options);
  assert.equal(tally.violated, 0, result);
  assert.equal(tally.undecided, 0, result); // a trial without a verdict is a failure
});
