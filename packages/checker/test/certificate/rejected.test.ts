import type { History } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import type { LevelName } from '../../src/index.ts';
import {
  assumed,
  cases,
  commits,
  cycle,
  events,
  init,
  internal,
  problemOf,
  rt,
  rw,
  so,
  wr,
  ww,
} from './support/certificates.ts';
import { h } from './support/notation.ts';

type Row = readonly [name: string, level: LevelName, certificate: unknown, problem: string];

function expectProblems(history: History, verdict: 'satisfied' | 'violated', valid: Row, rows: readonly Row[]): void {
  expect(problemOf(history, valid[1], verdict, valid[2])).toBeNull();
  const found = rows.map(([name, level, certificate]) => [name, problemOf(history, level, verdict, certificate)]);
  expect(found).toEqual(rows.map(([name, , , problem]) => [name, problem]));
}

const accepted = (level: LevelName, certificate: unknown): Row => ['accepted', level, certificate, ''];

describe('commit orders', () => {
  // Transactions: 0 and 1 of session 0, 2 aborted, 3, 4 of unknown outcome that nobody read from.
  const history = h`w(x,1) | r(y,2)
    !w(x,9)
    r(x,1) w(y,2)
    ?w(z,1)`;

  test('are rejected where they are not orders of what happened', () => {
    const order = (...list: unknown[]) => ({ kind: 'commit-order', order: list });
    expectProblems(history, 'satisfied', accepted('serializable', commits(0, 3, 1)), [
      ['misses one', 'serializable', commits(0, 3), 'the order misses transaction 1'],
      ['empty', 'serializable', commits(), 'the order misses transaction 0'],
      [
        'lists an aborted one',
        'serializable',
        commits(0, 2, 3, 1),
        'entry 2 of the order is transaction 2, which did not happen',
      ],
      [
        'lists an unknown one',
        'serializable',
        commits(0, 3, 1, 4),
        'entry 4 of the order is transaction 4, which did not happen',
      ],
      [
        'lists one twice',
        'serializable',
        commits(0, 3, 1, 3),
        'the order lists transaction 3 twice, as entries 2 and 4',
      ],
      [
        'lists one twice instead of another',
        'serializable',
        commits(0, 0, 1),
        'the order lists transaction 0 twice, as entries 1 and 2',
      ],
      [
        'swaps read-from',
        'plain-serializable',
        commits(3, 0, 1),
        'the order puts transaction 3 before transaction 0, from which its operation 3 reads',
      ],
      [
        'swaps read-from at PL-2',
        'read-committed-pl2',
        commits(0, 1, 3),
        'the order puts transaction 1 before transaction 3, from which its operation 1 reads',
      ],
      [
        'swaps a session',
        'causal',
        commits(3, 1, 0),
        'the order puts transaction 1 before transaction 0, which is earlier in its session',
      ],
      ['out of range', 'serializable', commits(0, 3, 5), 'entry 3 of the order is 5, expected an integer from 0 to 4'],
      [
        'the initial transaction',
        'serializable',
        commits(-1, 0, 3, 1),
        'entry 1 of the order is -1, expected an integer from 0 to 4',
      ],
      [
        'a fraction',
        'serializable',
        commits(0, 1.5, 3),
        'entry 2 of the order is 1.5, expected an integer from 0 to 4',
      ],
      ['NaN', 'serializable', commits(0, NaN, 3), 'entry 2 of the order is NaN, expected an integer from 0 to 4'],
      [
        'infinity',
        'serializable',
        commits(0, Infinity, 3),
        'entry 2 of the order is Infinity, expected an integer from 0 to 4',
      ],
      [
        'a number beyond all integers',
        'serializable',
        commits(0, 1e300, 3),
        'entry 2 of the order is 1e+300, expected an integer from 0 to 4',
      ],
      ['a string', 'serializable', order('0', 3, 1), 'entry 1 of the order is "0", expected an integer from 0 to 4'],
      ['null', 'serializable', order(0, null, 1), 'entry 2 of the order is null, expected an integer from 0 to 4'],
      [
        'a list in the list',
        'serializable',
        order([0], 3, 1),
        'entry 1 of the order is a list, expected an integer from 0 to 4',
      ],
      [
        'a hole',
        'serializable',
        { kind: 'commit-order', order: Array.from({ length: 3 }) },
        'entry 1 of the order is undefined, expected an integer from 0 to 4',
      ],
      [
        'no list',
        'serializable',
        { kind: 'commit-order', order: { length: 3 } },
        'the order is a value of type object, expected a list',
      ],
      ['no order', 'serializable', { kind: 'commit-order' }, 'the order is undefined, expected a list'],
      [
        'a huge list',
        'serializable',
        { kind: 'commit-order', order: Array.from({ length: 1e6 }, () => 0) },
        'the order lists transaction 0 twice, as entries 1 and 2',
      ],
    ]);
  });

  test('are rejected where the evidence is of another kind', () => {
    expectProblems(history, 'satisfied', accepted('serializable', commits(0, 3, 1)), [
      [
        'events at a serial level',
        'serializable',
        events('b0 c0 b3 c3 b1 c1'),
        'the certificate is of the kind "event-order", but evidence for serializable is of the kind "commit-order"',
      ],
      [
        'an order at a snapshot level',
        'snapshot-isolation',
        commits(0, 3, 1),
        'the certificate is of the kind "commit-order", but evidence for snapshot-isolation is of the kind "event-order"',
      ],
      [
        'an order at cut isolation',
        'cut-isolation',
        commits(0, 3, 1),
        'the certificate is of the kind "commit-order", but evidence for cut-isolation is of the kind "inspection"',
      ],
      [
        'an inspection at a serial level',
        'serializable',
        { kind: 'inspection' },
        'the certificate is of the kind "inspection", but evidence for serializable is of the kind "commit-order"',
      ],
      [
        'a cycle',
        'serializable',
        cycle(init(0)),
        'the certificate is of the kind "cycle", but evidence for serializable is of the kind "commit-order"',
      ],
      [
        'no kind',
        'serializable',
        {},
        'the certificate is of the kind undefined, but evidence for serializable is of the kind "commit-order"',
      ],
      ['null', 'serializable', null, 'the certificate is null, expected an object'],
      ['a list', 'serializable', [0, 3, 1], 'the certificate is a list, expected an object'],
      ['a text', 'serializable', 'x'.repeat(100), `the certificate is "${'x'.repeat(40)}…", expected an object`],
      ['a level that is none', 'toString' as LevelName, commits(0, 3, 1), 'there is no level "toString"'],
    ]);
  });

  test.each<[LevelName, History, readonly number[], readonly number[], string]>([
    [
      'read-committed',
      h`w(x,1) w(y,1)
      w(y,2)
      r(x,1) r(y,2)`,
      [0, 1, 2],
      [1, 0, 2],
      'transaction 0 is visible to transaction 2, whose operation 4 reads a key that it writes, too, from transaction 1, but the order does not put transaction 0 first',
    ],
    [
      'read-committed-dbcop',
      h`w(x,1)
      w(x,2)
      r(x,1) r(x,2)`,
      [0, 1, 2],
      [1, 0, 2],
      'transaction 0 is visible to transaction 2, whose operation 3 reads a key that it writes, too, from transaction 1, but the order does not put transaction 0 first',
    ],
    [
      'read-atomic',
      h`w(x,1) w(y,1)
      w(y,2)
      r(y,2) r(x,1)`,
      [0, 1, 2],
      [1, 0, 2],
      'transaction 0 is visible to transaction 2, whose operation 3 reads a key that it writes, too, from transaction 1, but the order does not put transaction 0 first',
    ],
    [
      'read-atomic',
      h`w(x,1)
      w(x,2) | r(x,1)`,
      [1, 0, 2],
      [0, 1, 2],
      'transaction 1 is visible to transaction 2, whose operation 2 reads a key that it writes, too, from transaction 0, but the order does not put transaction 1 first',
    ],
    [
      'causal',
      h`w(x,1)
      w(x,2)
      r(x,2) | r(y,0) | r(x,1)`,
      [1, 0, 2, 3, 4],
      [0, 1, 2, 3, 4],
      'transaction 1 is visible to transaction 4, whose operation 4 reads a key that it writes, too, from transaction 0, but the order does not put transaction 1 first',
    ],
    [
      'serializable',
      h`w(x,1)
      w(x,2)
      r(x,1)`,
      [1, 0, 2],
      [0, 1, 2],
      'operation 2 of transaction 2 reads from transaction 0, but the latest in the order to write its key is transaction 1',
    ],
    [
      'serializable',
      h`w(x,1)
      r(x,0)`,
      [1, 0],
      [0, 1],
      'operation 1 of transaction 1 reads from the initial transaction, but the latest in the order to write its key is transaction 0',
    ],
    [
      'strict-serializable',
      h`@1-2 w(x,1)
      @3-4 w(y,1)
      @0-9 w(z,1)`,
      [2, 0, 1],
      [1, 2, 0],
      'the order puts transaction 1 before transaction 0, which had returned before it was called',
    ],
    [
      'linearizable',
      h`@1-2 w(x,1)
      @3-4 w(x,2)
      @5-6 w(y,1)`,
      [2, 0, 1],
      [1, 0, 2],
      'the order puts transaction 1 before transaction 0, which had returned before it was called',
    ],
    [
      'linearizable',
      h`w(x,1) | w(y,1) | w(x,2)`,
      [1, 0, 2],
      [2, 1, 0],
      'the order puts transaction 2 before transaction 0, which is earlier in its session',
    ],
    [
      'linearizable',
      h`w(x,1)
      r(x,1)`,
      [0, 1],
      [1, 0],
      'operation 1 of transaction 1 reads from transaction 0, but the latest in the order to write its key is the initial transaction',
    ],
  ])('are rejected against an instance of the axiom of %s', (level, bad, right, wrong, problem) => {
    expect(problemOf(bad, level, 'satisfied', commits(...right))).toBeNull();
    expect(problemOf(bad, level, 'satisfied', commits(...wrong))).toBe(problem);
  });

  test.each<[string, LevelName, History, unknown, string]>([
    [
      'out of thin air',
      'read-committed-pl2',
      h`r(x,7)`,
      commits(0),
      'operation 0 of transaction 0 reads a value that nothing wrote',
    ],
    [
      'from an aborted transaction',
      'causal',
      h`!w(x,1)
      r(x,1)`,
      commits(1),
      'operation 1 of transaction 1 reads from an aborted transaction, operation 0',
    ],
    [
      'from the future',
      'serializable',
      h`r(x,1) w(x,1)`,
      commits(0),
      'operation 0 of transaction 0 reads what its own transaction writes only later, operation 1',
    ],
    [
      'blind to the own write',
      'read-committed',
      h`w(x,1) r(x,0)`,
      commits(0),
      "operation 1 of transaction 0 does not see its own transaction's write, operation 0",
    ],
    [
      'of the own write but the last',
      'prefix',
      h`w(x,1) w(x,2) r(x,1)`,
      events('b0 c0'),
      "operation 2 of transaction 0 does not see its own transaction's write, operation 1",
    ],
    [
      'in passing',
      'read-atomic',
      h`w(x,1) w(x,2)
      r(x,1)`,
      commits(0, 1),
      'operation 2 of transaction 1 reads what its writer overwrote itself, operation 0',
    ],
    [
      'that does not repeat',
      'read-atomic',
      h`w(x,1)
      r(x,0) r(x,1)`,
      commits(0, 1),
      'transaction 1 reads key 0 twice, and operation 2 does not see what 1 saw',
    ],
    [
      'that does not repeat, at cut isolation',
      'cut-isolation',
      h`w(x,1)
      r(x,0) r(x,1)`,
      { kind: 'inspection' },
      'transaction 1 reads key 0 twice, and operation 2 does not see what 1 saw',
    ],
    [
      'of a value that was written twice',
      'serializable',
      h`w(x,1)
      w(x,1)
      r(x,1)`,
      commits(0, 1, 2),
      'operation 2 of transaction 2 may have read from several transactions, for the value was written more than once',
    ],
    [
      'of a list',
      'serializable',
      h`a(x,1)`,
      commits(0),
      'operation 0 is of the kind append: certificates about lists cannot be verified',
    ],
    [
      'of an exchange',
      'serializable',
      h`cas(x,0,1)`,
      commits(0),
      'operation 0 is of the kind compare-and-set: the history must be lowered to registers first (toRegisters)',
    ],
    [
      'of several keys, at linearizability',
      'linearizable',
      h`w(x,1) w(y,1)`,
      commits(0),
      'transaction 0 is of several keys, and linearizability is of single operations',
    ],
  ])('are rejected where there is a read %s', (_, level, bad, certificate, problem) => {
    expect(problemOf(bad, level, 'satisfied', certificate)).toBe(problem);
  });
});

describe('orders of events', () => {
  test('are rejected where they are not orders of the events that happened', () => {
    const history = h`w(x,1) | r(y,0)
      !w(x,9)
      r(x,1)`;
    const list = (...entries: unknown[]) => ({ kind: 'event-order', events: entries });
    const level = 'snapshot-isolation';
    expectProblems(history, 'satisfied', accepted(level, events('b0 c0 b1 b3 c3 c1')), [
      ['misses a begin', level, events('b0 c0 b3 c3'), 'the order misses the begin of transaction 1'],
      ['misses a commit', level, events('b0 c0 b1 b3 c3'), 'the order misses the commit of transaction 1'],
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
        'operation 3 of transaction 3 reads from transaction 0, but the last to commit its key before the begin is the initial transaction',
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
      'operation 2 of transaction 2 reads from transaction 0, but the last to commit its key before the begin is transaction 1',
    ],
    [
      'generalized-snapshot-isolation',
      h`@1-2 w(x,1)
      @3-4 w(y,1)`,
      'b0 b1 c0 c1',
      'b0 b1 c1 c0',
      'the order puts the commit of transaction 1 before the commit of transaction 0, against real time',
    ],
    [
      'generalized-snapshot-isolation',
      h`@1-2 w(x,1)
      @3-4 w(y,1)`,
      'b1 b0 c0 c1',
      'b1 c1 b0 c0',
      'the order puts the commit of transaction 1 before the begin of transaction 0, against real time',
    ],
    [
      'strong-snapshot-isolation',
      h`@1-2 w(x,1)
      @3-4 w(y,1)`,
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
  ])('are rejected against the rules of %s', (level, history, right, wrong, problem) => {
    expect(problemOf(history, level, 'satisfied', events(right))).toBeNull();
    expect(problemOf(history, level, 'satisfied', events(wrong))).toBe(problem);
  });
});

describe('internal anomalies', () => {
  // 0: w(x,1), 1: w(x,2), 2: w(y,1) | 3: r(x,1), 4: r(y,1), 5: r(y,0), 6: r(z,7) | 7: r(z,5), 8: w(z,5), 9: w(x,3), 10: w(x,4), 11: r(x,3), 12: r(x,2)
  const history = h`w(x,1) w(x,2) w(y,1)
    r(x,1) r(y,1) r(y,0) r(z,7)
    r(z,5) w(z,5) w(x,3) w(x,4) r(x,3) r(x,2)
    !w(q,1) r(q,9)
    r(q,1)
    ?r(q,9)`;
  const level = 'read-atomic';

  test('are accepted as they are', () => {
    const valid = [
      internal('intermediate-read', 3, 0),
      internal('non-repeatable-read', 5, 4),
      internal('thin-air-read', 6),
      internal('future-read', 7, 8),
      internal('not-my-last-write', 11, 10),
      internal('not-my-own-write', 12, 10),
      internal('aborted-read', 15, 13),
    ];
    for (const certificate of valid) expect(problemOf(history, level, 'violated', certificate)).toBeNull();
  });

  test('are rejected where the operations do not show them', () => {
    expectProblems(history, 'violated', accepted(level, internal('thin-air-read', 6)), [
      [
        'a fine read from thin air',
        level,
        internal('thin-air-read', 4),
        'operation 4 does not show thin-air-read: a transaction wrote the value',
      ],
      [
        'the initial state from thin air',
        level,
        internal('thin-air-read', 5),
        'operation 5 does not show thin-air-read: it may see the initial state',
      ],
      [
        'thin air with another operation',
        level,
        internal('thin-air-read', 6, 3),
        'the other operation is 3, which is not one that thin-air-read can have',
      ],
      [
        'another without another operation',
        level,
        internal('intermediate-read', 3),
        'the other operation is -1, which is not one that intermediate-read can have',
      ],
      [
        'a fine read in passing',
        level,
        internal('intermediate-read', 4, 2),
        'operation 4 does not show intermediate-read: the transaction of operation 2 did not overwrite it itself',
      ],
      [
        'the wrong other write',
        level,
        internal('intermediate-read', 3, 1),
        'operation 3 does not show intermediate-read: it does not read what operation 1 wrote',
      ],
      [
        'a read as the other write',
        level,
        internal('intermediate-read', 3, 4),
        'operation 3 does not show intermediate-read: operation 4 is not a write',
      ],
      [
        'a committed write as aborted',
        level,
        internal('aborted-read', 4, 2),
        'operation 4 does not show aborted-read: transaction 0 was not aborted',
      ],
      [
        'another transaction as the future',
        level,
        internal('future-read', 3, 0),
        'operation 3 does not show future-read: operation 0 is not a later one of the same transaction',
      ],
      [
        'a fine read as blind',
        level,
        internal('not-my-own-write', 4, 2),
        "operation 4 does not show not-my-own-write: operation 2 is not its own transaction's latest write of the key before it",
      ],
      [
        'an earlier own write',
        level,
        internal('not-my-last-write', 11, 9),
        "operation 11 does not show not-my-last-write: operation 9 is not its own transaction's latest write of the key before it",
      ],
      [
        'blind, but of an own write',
        level,
        internal('not-my-own-write', 11, 10),
        'operation 11 does not show not-my-own-write: it sees an earlier write of its own transaction',
      ],
      [
        'an own write, but blind',
        level,
        internal('not-my-last-write', 12, 10),
        'operation 12 does not show not-my-last-write: it does not see an earlier write of its own transaction',
      ],
      [
        'reads of two keys',
        level,
        internal('non-repeatable-read', 4, 3),
        'operation 4 does not show non-repeatable-read: operation 3 reads another key',
      ],
      [
        'reads of two transactions',
        level,
        internal('non-repeatable-read', 11, 3),
        'operation 11 does not show non-repeatable-read: operation 3 is not an earlier read of the same transaction',
      ],
      [
        'the later read first',
        level,
        internal('non-repeatable-read', 4, 5),
        'operation 4 does not show non-repeatable-read: operation 5 is not an earlier read of the same transaction',
      ],
      [
        'reads after an own write',
        level,
        internal('non-repeatable-read', 12, 11),
        'operation 12 does not show non-repeatable-read: its own transaction wrote the key before, with operation 10',
      ],
      ['a write as the read', level, internal('future-read', 8, 7), 'operation 8 is not a read'],
      [
        'a read of an aborted transaction',
        level,
        internal('thin-air-read', 14),
        'transaction 3, of operation 14, did not happen',
      ],
      [
        'a read of an unknown transaction',
        level,
        internal('thin-air-read', 16),
        'transaction 5, of operation 16, did not happen',
      ],
      [
        'a level that allows it',
        'cut-isolation',
        internal('thin-air-read', 6),
        'the level cut-isolation does not forbid thin-air-read',
      ],
      [
        'read committed that allows it',
        'read-committed',
        internal('non-repeatable-read', 5, 4),
        'the level read-committed does not forbid non-repeatable-read',
      ],
      ['no anomaly', level, internal('lost-update', 6), 'the anomaly is "lost-update", which is no internal anomaly'],
      [
        'a name of every object',
        level,
        internal('constructor', 6),
        'the anomaly is "constructor", which is no internal anomaly',
      ],
      [
        'an operation out of range',
        level,
        internal('thin-air-read', 17),
        'the read is 17, expected an integer from 0 to 16',
      ],
      [
        'another operation out of range',
        level,
        internal('thin-air-read', 6, -2),
        'the other operation is -2, expected an integer from -1 to 16',
      ],
      [
        'no read',
        level,
        { kind: 'internal', anomaly: 'thin-air-read', other: -1 },
        'the read is undefined, expected an integer from 0 to 16',
      ],
    ]);
  });

  test('are rejected where another explanation of the read is possible', () => {
    const twice = h`!w(x,1)
      w(x,1)
      r(x,1)
      r(y,0) r(y,nil)
      r(z,1) w(z,1)
      w(z,1)`;
    const problems = [
      internal('aborted-read', 2, 0),
      internal('non-repeatable-read', 4, 3),
      internal('future-read', 5, 6),
    ].map((certificate) => problemOf(twice, level, 'violated', certificate));
    expect(problems).toEqual([
      'operation 2 does not show aborted-read: a transaction that was not aborted wrote the value too',
      'operation 4 does not show non-repeatable-read: both reads may see the initial state',
      'operation 5 does not show future-read: another transaction wrote the value too',
    ]);
  });
});

describe('cycles', () => {
  // 0: w(x,1); 1: r(x,1) w(y,1) | 2: r(y,0), a session; 3: r(y,1) r(x,0); 4 aborted: w(x,9); 5: w(x,2).
  // Operations: 0 w(x,1); 1 r(x,1), 2 w(y,1); 3 r(y,0); 4 r(y,1), 5 r(x,0); 6 w(x,9); 7 w(x,2).
  const history = h`@1-2 w(x,1)
    @3-9 r(x,1) w(y,1) | @10-11 r(y,0)
    @5-6 r(y,1) r(x,0)
    !w(x,9)
    w(x,2)`;
  const level = 'causal';
  const stale = ww(0, -1, 0, 5, wr(0, 1, 1), wr(1, 3, 4));
  const visible = (...edges: Parameters<typeof cycle>) =>
    cycle({ ...stale, reason: { ...stale.reason, visible: edges } as never }, init(0));
  const because = (reason: unknown) => cycle(stale, { from: -1, to: 0, reason } as never);
  const at = (certificate: unknown, problem: string, atLevel: LevelName = level): Row => [
    problem,
    atLevel,
    certificate,
    problem,
  ];

  test('are rejected where they are no cycles', () => {
    expectProblems(history, 'violated', accepted(level, cycle(stale, init(0))), [
      at(cycle(), 'there is no edge'),
      at(cycle(init(0)), 'the cycle does not close: it begins at the initial transaction and ends at transaction 0'),
      at(
        cycle(wr(0, 1, 1), wr(1, 3, 4)),
        'the cycle does not close: it begins at transaction 0 and ends at transaction 3',
      ),
      at(cycle(stale, init(1), wr(0, 1, 1)), 'edge 3 begins at transaction 0, but edge 2 ends at transaction 1'),
      at({ kind: 'cycle' }, 'the list of each edge is undefined, expected a list'),
      at({ kind: 'cycle', edges: [0] }, 'edge 1 is 0, expected an object'),
      at({ kind: 'cycle', edges: [[]] }, 'edge 1 is a list, expected an object'),
      at(cycle(so(1, 1)), 'edge 1, from transaction 1 to transaction 1: an edge needs two transactions'),
      at(cycle({ ...init(0), from: '−1' as never }), 'the from of edge 1 is "−1", expected an integer from 0 to 5'),
      at(cycle(init(6)), 'the to of edge 1 is 6, expected an integer from 0 to 5'),
      at(cycle(init(NaN)), 'the to of edge 1 is NaN, expected an integer from 0 to 5'),
      at(cycle(so(-2, 1)), 'the from of edge 1 is -2, expected an integer from 0 to 5'),
      at(cycle(init(4)), 'the to of edge 1 is transaction 4, which did not happen'),
      at({ kind: 'walk' }, 'the certificate is of the kind "walk", which is no evidence of a violation'),
      at(commits(0, 1), 'the certificate is of the kind "commit-order", which is no evidence of a violation'),
      at(
        cycle(stale, init(0)),
        'cut isolation orders nothing: an internal anomaly is the only evidence against it',
        'cut-isolation',
      ),
    ]);
  });

  test('are rejected where a reason does not hold', () => {
    expectProblems(history, 'violated', accepted(level, cycle(stale, init(0))), [
      at(
        because({ kind: 'because' }),
        'edge 2, from the initial transaction to transaction 0: the reason is of the kind "because", which does not exist',
      ),
      at(
        because(undefined),
        'edge 2, from the initial transaction to transaction 0: the reason is undefined, expected an object',
      ),
      at(
        because({ kind: 'session' }),
        'edge 2, from the initial transaction to transaction 0: the initial transaction is of no session',
      ),
      at(
        because({ kind: 'real-time' }),
        'edge 2, from the initial transaction to transaction 0: the initial transaction has no real time',
        'strict-serializable',
      ),
      at(
        because({ kind: 'assumed' }),
        'edge 2, from the initial transaction to transaction 0: no case around it assumes this edge',
      ),
      at(
        cycle({ ...init(1), from: 0 }),
        'edge 1, from transaction 0 to transaction 1: only the initial transaction is before all others',
      ),
      at(cycle(so(0, 1)), 'edge 1, from transaction 0 to transaction 1: they are of different sessions'),
      at(
        cycle(so(2, 1)),
        'edge 1, from transaction 2 to transaction 1: transaction 2 is the earlier one in their session'.replace(
          'transaction 2 is',
          'transaction 1 is',
        ),
      ),
      at(
        cycle(so(1, 2)),
        'edge 1, from transaction 1 to transaction 2: session order is not a reason at this level, plain-serializable',
        'plain-serializable',
      ),
      at(
        cycle(so(1, 2)),
        'edge 1, from transaction 1 to transaction 2: session order is not a reason at this level, read-committed-pl2',
        'read-committed-pl2',
      ),
      at(
        cycle(so(1, 2)),
        'edge 1, from transaction 1 to transaction 2: session order is not a reason at this level, adya-snapshot-isolation',
        'adya-snapshot-isolation',
      ),
      at(
        cycle(wr(0, 3, 4)),
        'edge 1, from transaction 0 to transaction 3: operation 4 does not read from transaction 0',
      ),
      at(cycle(wr(0, 1, 0)), 'edge 1, from transaction 0 to transaction 1: operation 0 is not a read'),
      at(cycle(wr(0, 1, 4)), 'edge 1, from transaction 0 to transaction 1: operation 4 is not of transaction 1'),
      at(
        cycle(wr(0, 1, 8)),
        'edge 1, from transaction 0 to transaction 1: the read is 8, expected an integer from 0 to 7',
      ),
      at(
        cycle(wr(0, 1, '1' as never)),
        'edge 1, from transaction 0 to transaction 1: the read is "1", expected an integer from 0 to 7',
      ),
      at(
        cycle(rt(0, 1)),
        'edge 1, from transaction 0 to transaction 1: real time is not a reason at this level, causal',
      ),
      at(
        cycle(rt(1, 3)),
        'edge 1, from transaction 1 to transaction 3: transaction 1 had not returned when transaction 3 was called',
        'strict-serializable',
      ),
      at(
        cycle(rt(5, 3)),
        'edge 1, from transaction 5 to transaction 3: transaction 5 had not returned when transaction 3 was called',
        'strict-serializable',
      ),
      at(
        cycle(rt(2, 0)),
        'edge 1, from transaction 2 to transaction 0: real time puts no event of transaction 2 before one of transaction 0',
        'strong-snapshot-isolation',
      ),
      at(
        cycle(rw(3, 0, 5, 0, init(0))),
        'edge 1, from transaction 3 to transaction 0: that a read was overwritten is not a reason at this level, causal',
      ),
    ]);
  });

  test('are rejected where an overwriting transaction is not shown to be visible', () => {
    const where = 'edge 1, from transaction 0 to the initial transaction';
    expectProblems(history, 'violated', accepted(level, cycle(stale, init(0))), [
      at(visible(), `${where}: there is no visible edge`),
      at(visible(wr(0, 1, 1)), `${where}: the visible edges end at transaction 1, but operation 5 is of transaction 3`),
      at(visible(wr(1, 3, 4)), `${where}: the visible edges begin at transaction 1`),
      at(
        visible(wr(0, 1, 1), so(1, 2)),
        `${where}: the visible edges end at transaction 2, but operation 5 is of transaction 3`,
      ),
      at(
        visible(wr(0, 1, 1), wr(0, 3, 4)),
        `${where}: visible edge 2, from transaction 0 to transaction 3: operation 4 does not read from transaction 0`,
      ),
      at(
        visible(wr(0, 1, 1), so(2, 3)),
        `${where}: visible edge 2, from transaction 2 to transaction 3: they are of different sessions`,
      ),
      at(
        visible(wr(1, 3, 4), wr(0, 1, 1)),
        `${where}: visible edge 2 begins at transaction 0, but visible edge 1 ends at transaction 3`,
      ),
      at(cycle(ww(0, -1, 2, 5, wr(0, 1, 1))), `${where}: operation 2 is not of transaction 0`),
      at(cycle(ww(0, -1, 5, 5, wr(0, 1, 1))), `${where}: operation 5 is not a write`),
      at(cycle(ww(0, -1, 0, 0, wr(0, 1, 1))), `${where}: operation 0 is not a read`),
      at(cycle(ww(0, -1, 0, 3, wr(0, 1, 1))), `${where}: operations 3 and 0 are of different keys`),
      at(cycle(ww(0, -1, 0, 1, wr(0, 1, 1))), `${where}: operation 1 does not read from the initial transaction`),
      at(
        cycle(ww(0, 5, 7, 5, wr(0, 1, 1))),
        'edge 1, from transaction 0 to transaction 5: operation 7 is not of transaction 0',
      ),
      at(
        cycle(ww(0, 5, 0, 5, wr(0, 1, 1))),
        'edge 1, from transaction 0 to transaction 5: operation 5 does not read from transaction 5',
      ),
      at(
        cycle(stale, init(0)),
        `${where}: at read-atomic, only one session or read-from edge makes a transaction visible`,
        'read-atomic',
      ),
      at(
        cycle(stale, init(0)),
        `${where}: at read-committed, only an earlier read from it makes a transaction visible`,
        'read-committed',
      ),
      at(
        cycle(stale, init(0)),
        `${where}: what a reader sees is not a reason at this level, read-committed-pl2`,
        'read-committed-pl2',
      ),
      at(
        visible(ww(0, -1, 0, 5, wr(0, 1, 1), wr(1, 3, 4)), init(3)),
        `${where}: at causal, only session and read-from edges make a transaction visible`,
      ),
    ]);
  });

  test('are rejected where read committed does not count the earlier read', () => {
    const back = h`w(x,1) w(y,1)
      r(y,0) r(x,1) r(x,0)`;
    const valid = accepted('read-committed-dbcop', cycle(ww(0, -1, 0, 4, wr(0, 1, 3)), init(0)));
    const where = 'edge 1, from transaction 0 to the initial transaction';
    expectProblems(back, 'violated', valid, [
      at(
        valid[2],
        `${where}: operations 3 and 4 read the same key, which does not count at read-committed`,
        'read-committed',
      ),
      at(
        cycle(ww(0, -1, 1, 2, wr(0, 1, 3)), init(0)),
        `${where}: operation 3 is not before operation 2`,
        'read-committed',
      ),
      at(
        cycle(ww(0, -1, 1, 2, wr(0, 1, 3)), init(0)),
        `${where}: operation 3 is not before operation 2`,
        'read-committed-dbcop',
      ),
    ]);
  });

  test('are rejected where anti-dependencies do not add up', () => {
    // Operations: 0 r(x,0), 1 r(y,0), 2 w(x,1); 3 r(x,0), 4 r(y,0), 5 w(y,1).
    const skew = h`r(x,0) r(y,0) w(x,1)
      r(x,0) r(y,0) w(y,1)`;
    const first = rw(0, 1, 1, 5, init(1));
    const second = rw(1, 0, 3, 2, init(0));
    const where = 'edge 1, from transaction 0 to transaction 1';
    expectProblems(skew, 'violated', accepted('serializable', cycle(first, second)), [
      at(
        cycle(first, second),
        'edge 1 leads only to the commit of transaction 1, but edge 2 starts from its begin',
        'snapshot-isolation',
      ),
      at(
        cycle(first, second),
        'edge 1 leads only to the commit of transaction 1, but edge 2 starts from its begin',
        'prefix',
      ),
      at(cycle(rw(0, 1, 1, 5), second), `${where}: there is no order edge`, 'serializable'),
      at(cycle(rw(0, 1, 1, 5, init(0)), second), `${where}: the order edges end at transaction 0`, 'serializable'),
      at(
        cycle(rw(0, 1, 1, 5, second, first), second),
        `${where}: the order edges begin at transaction 1, but operation 1 reads from the initial transaction`,
        'serializable',
      ),
      at(cycle(rw(0, 1, 4, 5, init(1)), second), `${where}: operation 4 is not of transaction 0`, 'serializable'),
      at(cycle(rw(0, 1, 1, 2, init(1)), second), `${where}: operation 2 is not of transaction 1`, 'serializable'),
      at(cycle(rw(0, 1, 0, 5, init(1)), second), `${where}: operations 0 and 5 are of different keys`, 'serializable'),
      at(
        cycle(first, rt(1, 0)),
        'edge 2, from transaction 1 to transaction 0: real time is not a reason at this level, serializable',
        'serializable',
      ),
      at(
        cycle(first, rt(1, 0)),
        'edge 2, from transaction 1 to transaction 0: transaction 1 had not returned when transaction 0 was called',
        'strict-serializable',
      ),
    ]);
  });

  test('are rejected where the visible edges do not reach from a commit to a begin', () => {
    // Operations: 0 r(x,0), 1 w(y,1); 2 w(x,1), 3 r(y,0).
    const skew = h`r(x,0) w(y,1)
      w(x,1) r(y,0)`;
    const anti = rw(0, 1, 0, 2, init(1));
    const certificate = cycle(ww(0, -1, 1, 3, anti), init(0));
    expectProblems(skew, 'violated', accepted('serializable', certificate), [
      at(
        certificate,
        'edge 1, from transaction 0 to the initial transaction: the visible edges do not say that the commit of transaction 0 is before the begin of transaction 1',
        'snapshot-isolation',
      ),
    ]);
  });

  test('are rejected where they take an edge between keys, key by key', () => {
    const keys = h`@1-2 w(x,1) | @3-4 w(y,1)`;
    const problems = [so(0, 1), rt(0, 1)].map((edge) => problemOf(keys, 'linearizable', 'violated', cycle(edge)));
    const problem =
      'edge 1, from transaction 0 to transaction 1: they are of different keys, which linearizable does not order';
    expect(problems).toEqual([problem, problem]);
  });

  test('are rejected where a read may be from several transactions', () => {
    const several = h`w(x,1)
      w(x,1)
      r(x,1)`;
    expect(problemOf(several, 'causal', 'violated', cycle(wr(0, 2, 2)))).toBe(
      'edge 1, from transaction 0 to transaction 2: operation 2 may have read from several transactions, for the value was written more than once',
    );
  });

  test('are rejected where a read may be of the initial state, and real time counts', () => {
    const late = h`@5-6 w(x,0)
      @1-2 r(x,0)`;
    expect(problemOf(late, 'strict-serializable', 'violated', cycle(wr(0, 1, 1), rt(1, 0)))).toBe(
      'edge 1, from transaction 0 to transaction 1: operation 1 may have read from several transactions, for the value was written more than once',
    );
  });
});

describe('cases', () => {
  // Operations: 0 r(x,0), 1 w(x,1); 2 r(x,0), 3 w(x,2); 4 w(y,1).
  const history = h`r(x,0) w(x,1)
    r(x,0) w(x,2)
    w(y,1)`;
  const ifFirst = cycle(ww(0, -1, 1, 2, assumed(0, 1)), init(0));
  const ifSecond = cycle(ww(1, -1, 3, 0, assumed(1, 0)), init(1));
  const level = 'serializable';
  const at = (certificate: unknown, problem: string): Row => [problem, level, certificate, problem];

  test('are rejected where one is not closed, or uses what is not assumed', () => {
    const swapped =
      'in the case that transaction 0 precedes transaction 1: edge 1, from transaction 1 to the initial transaction: visible edge 1, from transaction 1 to transaction 0: no case around it assumes this edge';
    expectProblems(history, 'violated', accepted(level, cases(0, 1, 0, ifFirst, ifSecond)), [
      at(
        ifFirst,
        'edge 1, from transaction 0 to the initial transaction: visible edge 1, from transaction 0 to transaction 1: no case around it assumes this edge',
      ),
      at(cases(0, 1, 0, ifSecond, ifFirst), swapped),
      at(
        cases(0, 1, 0, ifFirst, ifFirst),
        'in the case that transaction 1 precedes transaction 0: edge 1, from transaction 0 to the initial transaction: visible edge 1, from transaction 0 to transaction 1: no case around it assumes this edge',
      ),
      at(cases(0, 0, 0, ifFirst, ifSecond), 'both writers are transaction 0'),
      at(cases(0, 2, 0, ifFirst, ifSecond), 'transaction 2 does not write key 0'),
      at(cases(0, 1, 1, ifFirst, ifSecond), 'transaction 0 does not write key 1'),
      at(cases(0, 1, 2, ifFirst, ifSecond), 'the key is 2, expected an integer from 0 to 1'),
      at(cases(-1, 1, 0, ifFirst, ifSecond), 'the first writer is -1, expected an integer from 0 to 2'),
      at(
        cases(0, 1, 0, ifFirst, null as never),
        'in the case that transaction 1 precedes transaction 0: the certificate is null, expected an object',
      ),
      at(
        cases(0, 1, 0, ifFirst, internal('thin-air-read', 0)),
        'in the case that transaction 1 precedes transaction 0: an internal anomaly does not depend on a case: it is a certificate of its own',
      ),
    ]);
  });

  test('are rejected, not followed, where they are nested without end', () => {
    const deepCases: Record<string, unknown> = { kind: 'cases', first: 0, second: 1, key: 0, ifSecond };
    deepCases['ifFirst'] = deepCases; // no JSON can say so, but a program can
    expect(problemOf(history, level, 'violated', deepCases)).toContain('it is nested more than 500 deep');

    let path = [init(0)];
    for (let i = 0; i < 100_000; i++) path = [rw(1, 0, 2, 1, ...path)];
    expect(problemOf(history, level, 'violated', cycle(path[0]!))).toContain('it is nested more than 500 deep');
  });

  test('are rejected where sharing makes them too long to follow', () => {
    let [to0, to1] = [[init(0)], [init(1)]];
    for (let i = 0; i < 100; i++) {
      const [first, second] = [rw(0, 1, 0, 3, ...to1), rw(1, 0, 2, 1, ...to0)];
      [to0, to1] = [
        [init(1), second, first, second],
        [init(0), first, second, first],
      ];
    }
    expect(problemOf(history, level, 'violated', cycle(...to0))).toContain(
      'it takes more than 4000000 steps to verify',
    );
  });
});
