import type { History } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import type { LevelName } from '@isolab/contract';
import { events, problemOf } from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { accepted, expectProblems } from '../support/problems.ts';

describe('orders of events', () => {
  test('orders of events are rejected where they are not orders of the events that happened', () => {
    const history = h`w(x,1) | r(y,0)
      !w(x,9)
      r(x,1)`;
    const list = (...entries: unknown[]) => ({ kind: 'event-order', events: entries });
    const level = 'snapshot-isolation';
    expectProblems(history, 'satisfied', accepted(level, events('b0 c0 b1 b3 c3 c1')), [
      ['misses a begin', level, events('b0 c0 b3 c3'), 'the order leaves out the begin of transaction 1'],
      ['misses a commit', level, events('b0 c0 b1 b3 c3'), 'the order leaves out the commit of transaction 1'],
      [
        'lists an aborted one',
        level,
        events('b2 c2 b0 c0 b1 b3 c3 c1'),
        'entry 1 is the begin of transaction 2, which did not happen',
      ],
      ['lists an event twice', level, events('b0 c0 b1 b0'), 'the order lists the begin of transaction 0 twice'],
      [
        'commits before it begins',
        level,
        events('b0 c0 c1 b1 b3 c3'),
        'the order puts the commit of transaction 1 before its begin',
      ],
      [
        'swaps a session',
        level,
        events('b1 b0 c0 b3 c3 c1'),
        'the order puts the begin of transaction 1 before the commit of transaction 0, which is earlier in its session',
      ],
      [
        'swaps read-from',
        level,
        events('b0 b3 c0 c3 b1 c1'),
        'operation 3 of transaction 3 does not see the value of the initial transaction, the last to commit a write of its key before the begin',
      ],
      ['out of range', level, list(8), 'entry 1 of the order of events is 8, expected an integer from 0 to 7'],
      ['a string', level, list('0'), 'entry 1 of the order of events is "0", expected an integer from 0 to 7'],
      ['no list', level, { kind: 'event-order', order: [] }, 'the order of events is undefined, expected a list'],
    ]);
  });

  test.each<[LevelName, History, string, string, string]>([
    [
      'snapshot-isolation',
      h`r(x,0) w(y,1)
      w(y,2)`,
      'b0 c0 b1 c1',
      'b0 b1 c0 c1',
      'transactions 0 and 1 write key 1 at the same time in the order',
    ],
    [
      'prefix',
      h`w(x,1)
      w(x,2)
      r(x,1)`,
      'b0 b1 c1 c0 b2 c2',
      'b0 b1 c0 c1 b2 c2',
      'operation 2 of transaction 2 does not see the value of transaction 1, the last to commit a write of its key before the begin',
    ],
    [
      'generalized-snapshot-isolation',
      h`w(x,1) @1-2
      w(y,1) @3-4`,
      'b0 b1 c0 c1',
      'b0 b1 c1 c0',
      'the order puts the commit of transaction 1 before the commit of transaction 0, against real time',
    ],
    [
      'generalized-snapshot-isolation',
      h`w(x,1) @1-2
      w(y,1) @3-4`,
      'b1 b0 c0 c1',
      'b1 c1 b0 c0',
      'the order puts the commit of transaction 1 before the begin of transaction 0, against real time',
    ],
    [
      'strong-snapshot-isolation',
      h`w(x,1) @1-2
      w(y,1) @3-4`,
      'b0 c0 b1 c1',
      'b1 b0 c0 c1',
      'the order puts the begin of transaction 1 before the commit of transaction 0, against real time',
    ],
    [
      'strong-session-snapshot-isolation',
      h`w(x,1) | r(y,0)`,
      'b0 c0 b1 c1',
      'b0 b1 c0 c1',
      'the order puts the begin of transaction 1 before the commit of transaction 0, which is earlier in its session',
    ],
  ])('orders of events are rejected against the rules of %s', (level, history, right, wrong, problem) => {
    expect(problemOf(history, level, 'satisfied', events(right))).toBeNull();
    expect(problemOf(history, level, 'satisfied', events(wrong))).toBe(problem);
  });
});
