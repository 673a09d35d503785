// Apache Derby 10.16.1.1 - (1901046) at read committed: 0 of 20 trials violated read committed; 20 kept it with all transactions committed. No other schedule did; 75 other interleavings were tried.
// Read committed held: these replies are from the last trial and show no violation.
// Run it: DATABASE=ADDRESS node --test FILE, with an address that isolab accepts. It needs the package isolab.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { replay } from 'isolab';

const ADDRESS = process.env.DATABASE;
const ISOLATION = process.env.ISOLATION ?? "read committed";

test("2 transactions keep read committed", async () => {
  assert.ok(ADDRESS, 'Set DATABASE to the address of a database, such as h2@2.4.240 or module:./driver.mjs.');
  const schedule = readFileSync(new URL('schedule.json', import.meta.url), 'utf8');
  const options = { database: ADDRESS, isolation: ISOLATION, level: "read-committed", trials: 20 };
  const { tally, result } = await replay(schedule, options);
  assert.equal(tally.violated, 0, result);
  assert.equal(tally.undecided, 0, result); // a trial without a verdict is a failure
});
