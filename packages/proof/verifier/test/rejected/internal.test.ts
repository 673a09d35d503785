import { describe, expect, test } from 'vitest';
import { internal, problemOf } from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { accepted, expectProblems } from '../support/problems.ts';

describe('internal anomalies', () => {
  // 0: w(x,1), 1: w(x,2), 2: w(y,1) | 3: r(x,1), 4: r(y,1), 5: r(y,0), 6: r(z,7) | 7: r(z,5), 8: w(z,5), 9: w(x,3), 10: w(x,4), 11: r(x,3), 12: r(x,2)
  const history = h`w(x,1) w(x,2) w(y,1)
    r(x,1) r(y,1) r(y,0) r(z,7)
    r(z,5) w(z,5) w(x,3) w(x,4) r(x,3) r(x,2)
    !w(q,1) r(q,9)
    r(q,1)
    ?r(q,9)`;
  const level = 'read-atomic';

  test('internal anomalies are accepted where the operations show them', () => {
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

  test('internal anomalies are rejected at cut isolation where a repeated value may come from elsewhere', () => {
    // 0: w(x,1), 1: w(x,2) | 2: r(y,0), 3: r(y,5), 4: w(x,1) | 5: r(x,1) | 6: w(y,5)
    const repeated = h`w(x,1) w(x,2)
      ?r(y,0) r(y,5) w(x,1)
      r(x,1)
      w(y,5)`;
    const certificate = internal('non-repeatable-read', 3, 2);
    expect(problemOf(repeated, 'read-atomic', 'violated', certificate)).toBeNull();
    expect(problemOf(repeated, 'cut-isolation', 'violated', certificate)).toBe(
      'transaction 1, of operation 3, did not happen',
    );
  });

  test('internal anomalies are rejected where the operations do not show them', () => {
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
        'the other operation is 3, which cannot take part in thin-air-read',
      ],
      [
        'another without another operation',
        level,
        internal('intermediate-read', 3),
        'the other operation is -1, which cannot take part in intermediate-read',
      ],
      [
        'a fine read in passing',
        level,
        internal('intermediate-read', 4, 2),
        'operation 4 does not show intermediate-read: the transaction of operation 2 did not overwrite the value',
      ],
      [
        'the wrong other write',
        level,
        internal('intermediate-read', 3, 1),
        'operation 3 does not show intermediate-read: it does not read the value of operation 1',
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
        'operation 3 does not show future-read: operation 0 is not a later operation of the same transaction',
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
      [
        'no anomaly',
        level,
        internal('lost-update', 6),
        'the anomaly is "lost-update", which is not an internal anomaly',
      ],
      [
        'a name of every object',
        level,
        internal('constructor', 6),
        'the anomaly is "constructor", which is not an internal anomaly',
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

  test('internal anomalies are rejected where another explanation of the read is possible', () => {
    const twice = h`!w(x,1)
      w(x,1)
      r(x,1)
      r(y,0) r(y,0)
      r(z,1) w(z,1)
      w(z,1)`;
    const problems = [
      internal('aborted-read', 2, 0),
      internal('non-repeatable-read', 4, 3),
      internal('future-read', 5, 6),
    ].map((certificate) => problemOf(twice, level, 'violated', certificate));
    expect(problems).toEqual([
      'operation 2 does not show aborted-read: a transaction that was not aborted also wrote the value',
      'operation 4 does not show non-repeatable-read: both reads see the same value',
      'operation 5 does not show future-read: another transaction also wrote the value',
    ]);
  });
});
