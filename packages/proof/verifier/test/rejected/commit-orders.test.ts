import type { History } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import type { LevelName } from '@isolab/contract';
import { commits, cycle, events, init, problemOf } from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { accepted, expectProblems } from '../support/problems.ts';

describe('commit orders', () => {
  // Transactions: 0 and 1 of session 0, 2 aborted, 3, 4 of unknown outcome that has no reader.
  const history = h`w(x,1) | r(y,2)
    !w(x,9)
    r(x,1) w(y,2)
    ?w(z,1)`;

  test('commit orders are rejected where they are not orders of the transactions that happened', () => {
    const order = (...list: unknown[]) => ({ kind: 'commit-order', order: list });
    expectProblems(history, 'satisfied', accepted('serializable', commits(0, 3, 1)), [
      ['misses one', 'serializable', commits(0, 3), 'the order leaves out transaction 1'],
      ['empty', 'serializable', commits(), 'the order leaves out transaction 0'],
      [
        'lists an aborted one',
        'serializable',
        commits(0, 2, 3, 1),
        'entry 2 of the order is transaction 2, which did not happen',
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
        'operation 3 of transaction 3 does not see the value of the initial transaction, the latest writer of its key in the order',
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

  test('commit orders are accepted where the axioms of the level hold along an order of another kind', () => {
    expectProblems(history, 'satisfied', accepted('serializable', events('b0 c0 b3 c3 b1 c1')), []);
    expectProblems(history, 'satisfied', accepted('snapshot-isolation', commits(0, 3, 1)), []);
    expectProblems(history, 'satisfied', accepted('cut-isolation', commits(0, 3, 1)), []);
  });

  test('commit orders are rejected where the evidence is of another kind', () => {
    expectProblems(history, 'satisfied', accepted('serializable', commits(0, 3, 1)), [
      [
        'versions at a serial level',
        'serializable',
        { kind: 'version-orders', happened: [0, 1, 3], orders: [] },
        'orders of versions do not determine the order that serializable needs',
      ],
      [
        'an order at a level of begins and commits',
        'adya-snapshot-isolation',
        commits(0, 3, 1),
        'the certificate is not of kind "event-order", but adya-snapshot-isolation is about begins and commits',
      ],
      [
        'an inspection at a serial level',
        'serializable',
        { kind: 'inspection' },
        'the certificate is of kind "inspection", but serializable needs kind "commit-order"',
      ],
      [
        'a cycle',
        'serializable',
        cycle(init(0)),
        'the certificate is of kind "cycle", but serializable needs kind "commit-order"',
      ],
      [
        'no kind',
        'serializable',
        {},
        'the certificate is of kind undefined, but serializable needs kind "commit-order"',
      ],
      ['null', 'serializable', null, 'the certificate is null, expected an object'],
      ['a list', 'serializable', [0, 3, 1], 'the certificate is a list, expected an object'],
      ['a text', 'serializable', 'x'.repeat(100), `the certificate is "${'x'.repeat(40)}…", expected an object`],
      ['a level that is none', 'toString' as LevelName, commits(0, 3, 1), '"toString" is not a level'],
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
      'transaction 0 is visible to transaction 2 and writes the key that operation 4 reads from transaction 1, but the order does not put transaction 0 before transaction 1',
    ],
    [
      'read-committed-dbcop',
      h`w(x,1)
      w(x,2)
      r(x,1) r(x,2)`,
      [0, 1, 2],
      [1, 0, 2],
      'transaction 0 is visible to transaction 2 and writes the key that operation 3 reads from transaction 1, but the order does not put transaction 0 before transaction 1',
    ],
    [
      'read-atomic',
      h`w(x,1) w(y,1)
      w(y,2)
      r(y,2) r(x,1)`,
      [0, 1, 2],
      [1, 0, 2],
      'transaction 0 is visible to transaction 2 and writes the key that operation 3 reads from transaction 1, but the order does not put transaction 0 before transaction 1',
    ],
    [
      'read-atomic',
      h`w(x,1)
      w(x,2) | r(x,1)`,
      [1, 0, 2],
      [0, 1, 2],
      'transaction 1 is visible to transaction 2 and writes the key that operation 2 reads from transaction 0, but the order does not put transaction 1 before transaction 0',
    ],
    [
      'causal',
      h`w(x,1)
      w(x,2)
      r(x,2) | r(y,0) | r(x,1)`,
      [1, 0, 2, 3, 4],
      [0, 1, 2, 3, 4],
      'transaction 1 is visible to transaction 4 and writes the key that operation 4 reads from transaction 0, but the order does not put transaction 1 before transaction 0',
    ],
    [
      'serializable',
      h`w(x,1)
      w(x,2)
      r(x,1)`,
      [1, 0, 2],
      [0, 1, 2],
      'operation 2 of transaction 2 does not see the value of transaction 1, the latest writer of its key in the order',
    ],
    [
      'serializable',
      h`w(x,1)
      r(x,0)`,
      [1, 0],
      [0, 1],
      'operation 1 of transaction 1 does not see the value of transaction 0, the latest writer of its key in the order',
    ],
    [
      'strict-serializable',
      h`w(x,1) @1-2
      w(y,1) @3-4
      w(z,1) @0-9`,
      [2, 0, 1],
      [1, 2, 0],
      'the order puts transaction 1 before transaction 0, although the latter returned before the former was called',
    ],
    [
      'linearizable',
      h`w(x,1) @1-2
      w(x,2) @3-4
      w(y,1) @5-6`,
      [2, 0, 1],
      [1, 0, 2],
      'the order puts transaction 1 before transaction 0, although the latter returned before the former was called',
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
      'operation 1 of transaction 1 does not see the value of the initial transaction, the latest writer of its key in the order',
    ],
  ])('commit orders are rejected against an instance of the axiom of %s', (level, bad, right, wrong, problem) => {
    expect(problemOf(bad, level, 'satisfied', commits(...right))).toBeNull();
    expect(problemOf(bad, level, 'satisfied', commits(...wrong))).toBe(problem);
  });

  test.each<[string, LevelName, History, unknown, string]>([
    [
      'out of thin air',
      'read-committed-pl2',
      h`r(x,7)`,
      commits(0),
      'operation 0 of transaction 0 reads a value that no transaction wrote',
    ],
    [
      'from an aborted transaction',
      'causal',
      h`!w(x,1)
      r(x,1)`,
      commits(1),
      'operation 1 of transaction 1 reads from operation 0 of an aborted transaction',
    ],
    [
      'from the future',
      'causal',
      h`r(x,1) w(x,1)`,
      commits(0),
      'operation 0 of transaction 0 reads a value that its own transaction writes later, in operation 1',
    ],
    [
      'blind to the own write',
      'read-committed',
      h`w(x,1) r(x,0)`,
      commits(0),
      'operation 1 of transaction 0 does not see the write of its own transaction to its key',
    ],
    [
      'of the own write but the last',
      'prefix',
      h`w(x,1) w(x,2) r(x,1)`,
      events('b0 c0'),
      'operation 2 of transaction 0 does not see the write of its own transaction to its key',
    ],
    [
      'in passing',
      'read-atomic',
      h`w(x,1) w(x,2)
      r(x,1)`,
      commits(0, 1),
      'operation 2 of transaction 1 reads a value of operation 0, which the same writer later overwrote',
    ],
    [
      'that does not repeat',
      'read-atomic',
      h`w(x,1)
      r(x,0) r(x,1)`,
      commits(0, 1),
      'transaction 1 reads key 0 twice, but operation 2 does not repeat the earlier result',
    ],
    [
      'that does not repeat, at cut isolation',
      'cut-isolation',
      h`w(x,1)
      r(x,0) r(x,1)`,
      { kind: 'inspection' },
      'transaction 1 reads key 0 twice, but operation 2 does not repeat the earlier result',
    ],
    [
      'of a value that was written twice',
      'causal',
      h`w(x,1)
      w(x,1)
      r(x,1)`,
      commits(0, 1, 2),
      'operation 2 of transaction 2 may have read from several transactions, because the value was written more than once',
    ],
    [
      'of a string',
      'serializable',
      h`a(x,1) r(x,1)`,
      commits(0),
      'key 0 is both a list and a register, as operation 1 shows',
    ],
    [
      'of an exchange',
      'serializable',
      h`cas(x,0,1)`,
      commits(0),
      'operation 0 is of kind compare-and-set: the history must be lowered to registers first (toRegisters)',
    ],
    [
      'of several keys, at linearizability',
      'linearizable',
      h`w(x,1) w(y,1)`,
      commits(0),
      'transaction 0 uses several keys, but linearizability is about single operations',
    ],
  ])('commit orders are rejected where there is a read %s', (_, level, bad, certificate, problem) => {
    expect(problemOf(bad, level, 'satisfied', certificate)).toBe(problem);
  });
});
