// Turso 0.5.3 at concurrent: 20 of 20 trials violated snapshot isolation. The plain schedule never did; 12 other interleavings were tried.
// Snapshot isolation does not let all of these transactions commit with these replies.
// Required: T1 reads 190 after the commit of T2, which it does not see; before that read, another client writes the same key, and commits at the end.
// The tables of keys have the layout key=integer.
// Run it: DATABASE=ADDRESS node --test FILE, with an address that isolab accepts. It needs the package isolab.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { replay } from 'isolab';

const ADDRESS = process.env.DATABASE;
const ISOLATION = process.env.ISOLATION ?? "concurrent";

test("3 transactions keep snapshot isolation", async () => {
  assert.ok(ADDRESS, 'Set DATABASE to the address of a database, such as h2@2.4.240 or module:./driver.mjs.');
  const schedule = readFileSync(new URL('schedule.json', import.meta.url), 'utf8');
  const options = { database: ADDRESS, isolation: ISOLATION, level: "snapshot-isolation", trials: 20, layout: "key=integer" };
  const { tally, result } = await replay(schedule, options);
  assert.equal(tally.violated, 0, result);
  assert.equal(tally.undecided, 0, result); // a trial without a verdict is a failure
});
