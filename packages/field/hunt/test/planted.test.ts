/** Databases that are broken on purpose: a hunt with nothing but their address finds each fault. */
import { describe, expect, test } from 'vitest';
import { hunt } from '../src/hunt.ts';
import { MEMORY, broken, freshFolder, huntOf, options, settings } from './fixture.ts';

describe('a driver without SQL', () => {
  test.each([
    'bug=append', // an append that is lost
    'bug=increment', // an increment of an old number
    'bug=dirty&rate=1', // a snapshot with writes that are undone later
    'bug=stale&rate=1', // an old snapshot after a new connection
    'bug=nothing&rate=1', // a delete of nothing without a lock
    'bug=unique&rate=0.2', // two inserts of one key
    'bug=phantom&rate=1', // a range whose new rows do not count
    'bug=forgotten', // reads of a long transaction that do not count
    'bug=gone', // a snapshot whose versions are removed after a while
  ])('a hunt finds the fault: %s', async (bug) => {
    const summary = await huntOf(broken('broken-memory.mjs', bug), 24);
    expect(summary).toMatchObject({ verdict: 'violated' });
  });

  test('a hunt kills the process, and finds commits that are lost', async () => {
    const summary = await huntOf(broken('broken-memory.mjs', `bug=late&file=${freshFolder()}`), 24, null);
    expect(summary).toMatchObject({ verdict: 'violated' });
  });

  // On a busy machine, the history may end before the killed process has answered again.
  test('an error after a kill is not a refusal of kills', { retry: 3 }, async () => {
    const lost = await huntOf(broken('broken-memory.mjs', `bug=dropped&file=${freshFolder()}`), 8, null);
    expect(lost).toMatchObject({ verdict: 'unknown', reason: expect.stringContaining('no such table'), leftOut: [] });
  });

  test('a database that loses everything when it is killed is killed once', async () => {
    const given = settings({
      database: [`${MEMORY}?outlives=yes`],
      isolation: 'snapshot',
      transactions: null,
      trials: 9,
    });
    const { verdict, leftOut, trials } = await hunt(given, options(freshFolder()));
    expect({ verdict, trials }).toEqual({ verdict: 'unknown', trials: 9 });
    expect(leftOut).toMatchObject([{ what: 'the fault kill', why: expect.stringContaining('lost its data') }]);
  });

  test('a hunt finds nothing in the same database without a fault, which keeps its commits in a file', async () => {
    const right = await huntOf(broken('broken-memory.mjs', `bug=none&file=${freshFolder()}`), 8, null);
    expect(right).toMatchObject({ verdict: 'satisfied', reason: null, leftOut: [] });
  });
});
