// Slow: hunts SQL databases with each of eleven faults, and Firebird; the address alone must suffice.
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { hunt } from '../src/index.ts';
import { broken, freshFolder, huntOf, options, settings } from './fixture.ts';

describe('a driver with the dialect of SQLite', unless('better-sqlite3'), () => {
  test.each([
    'bug=integer', // an append that is lost, with integer keys only
    'bug=increment&rate=0.2', // an increment of an old number beside three other clients
    'bug=savepoint', // ROLLBACK TO also undoes the writes before the savepoint
    'bug=dirty&rate=0.5', // a snapshot with writes that are undone later
    'bug=stale', // an old snapshot after a new connection
    'bug=nothing', // UPDATE or DELETE of nothing without a lock
    'bug=unique', // an INSERT that does nothing if another transaction inserted the key
    'bug=upsert', // an INSERT … ON CONFLICT DO UPDATE that is lost
    'bug=phantom', // a SELECT by predicate whose new rows do not count
    'bug=plus&rate=1', // SET n = n + 1 WHERE … that adds 2
  ])('a hunt finds the fault: %s', async (bug) => {
    const summary = await huntOf(broken('broken-sql.mjs', bug), 30);
    expect(summary).toMatchObject({ verdict: 'violated' });
  });

  test('a hunt finds commits that are lost when the process is killed', async () => {
    const summary = await huntOf(broken('broken-sql.mjs', `bug=late&file=${freshFolder()}`), 30, null);
    expect(summary).toMatchObject({ verdict: 'violated' });
  });

  test('a hunt finds nothing in the same database without a fault', async () => {
    const summary = await huntOf(broken('broken-sql.mjs', `bug=none&file=${freshFolder()}`), 12, null);
    expect(summary).toMatchObject({ verdict: 'satisfied', reason: null, leftOut: [] });
  });
});

test('a hunt of Firebird at snapshot finds nothing', unless('firebird@5.0.4'), async () => {
  const summary = await hunt(
    settings({ database: ['firebird@5.0.4'], isolation: 'snapshot', transactions: null, trials: 6 }),
    options(freshFolder(), { connectMs: 60_000, stallMs: 30_000 }),
  );
  expect(summary.verdict).toBe('satisfied');
  expect(summary.committed).toBeGreaterThan(0);
});
