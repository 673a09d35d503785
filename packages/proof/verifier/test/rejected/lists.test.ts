import { describe, expect, test } from 'vitest';
import type { LevelName } from '@isolab/contract';
import { awr, commits, cycle, events, internal, lists, problemOf, so, version, wr } from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { type Row, accepted, expectProblems } from '../support/problems.ts';

const at = (certificate: unknown, problem: string, level: LevelName = 'causal'): Row => [
  problem,
  level,
  certificate,
  problem,
];

describe('orders of appends', () => {
  // 0: a(x,1); 1: a(x,2) a(x,3); 2: r(x,[1 2 3]) a(x,4); 3: r(x,[1]).
  const history = h`a(x,1)
    a(x,2) a(x,3)
    r(x,[1 2 3]) a(x,4)
    r(x,[1])`;

  test('orders of appends are rejected where a list differs from the appends of the order', () => {
    const left = (op: number, t: number, writer: number) =>
      `operation ${op} of transaction ${t} does not see the value of transaction ${writer}, the latest writer of its key in the order`;
    expectProblems(history, 'satisfied', accepted('serializable', commits(0, 3, 1, 2)), [
      at(commits(0, 1, 3, 2), left(5, 3, 1), 'serializable'),
      at(commits(3, 0, 1, 2), left(5, 3, -1).replace('transaction -1', 'the initial transaction'), 'serializable'),
      at(commits(1, 0, 2, 3), left(3, 2, 0), 'plain-serializable'),
      at(commits(0, 2, 1, 3), left(3, 2, 0), 'strict-serializable'),
      at(
        commits(1, 0, 2, 3),
        'operation 3 of transaction 2 sees a list that no other transaction completes in the order',
        'read-committed-pl2',
      ),
      at(
        commits(0, 2, 1, 3),
        'operation 3 of transaction 2 sees a list that no other transaction completes in the order',
        'read-committed',
      ),
    ]);
    const [later, sooner] = [events('b0 c0 b3 b1 c1 b2 c2 c3'), events('b0 c0 b1 c1 b3 b2 c2 c3')];
    expectProblems(history, 'satisfied', accepted('prefix', later), [
      at(
        sooner,
        'operation 5 of transaction 3 does not see the value of transaction 1, the last to commit a write of its key before the begin',
        'snapshot-isolation',
      ),
    ]);
  });

  test.each<[string, LevelName, ReturnType<typeof h>, unknown, string]>([
    [
      'misses its own append',
      'read-committed',
      h`a(x,1) r(x,[])`,
      commits(0),
      'operation 1 of transaction 0 does not end with the earlier appends of transaction 0',
    ],
    [
      'misses its own append, in a serial order',
      'serializable',
      h`a(x,1) r(x,[])`,
      commits(0),
      'operation 1 of transaction 0 does not see the write of its own transaction to its key',
    ],
    [
      'sees its own append too soon',
      'causal',
      h`r(x,[1]) a(x,1)`,
      commits(0),
      'operation 0 of transaction 0 sees a list that no other transaction completes in the order',
    ],
    [
      'sees half of a transaction',
      'read-committed-pl2',
      h`a(x,1) a(x,2)
      r(x,[1])`,
      commits(0, 1),
      'operation 2 of transaction 1 sees a list that no other transaction completes in the order',
    ],
    [
      'sees an aborted append',
      'read-atomic',
      h`!a(x,1)
      r(x,[1])`,
      commits(1),
      'operation 1 of transaction 1 sees a list that no other transaction completes in the order',
    ],
    [
      'sees one of unknown outcome that is left out',
      'snapshot-isolation',
      h`?a(x,1)
      r(x,[1])`,
      events('b1 c1'),
      'operation 1 of transaction 1 does not see the value of the initial transaction, the last to commit a write of its key before the begin',
    ],
    [
      'does not repeat',
      'read-atomic',
      h`a(x,1)
      r(x,[]) r(x,[1])`,
      commits(0, 1),
      'transaction 1 reads key 0 twice, but operation 2 does not show the same appends of others',
    ],
    [
      'does not repeat, at cut isolation',
      'cut-isolation',
      h`r(x,[]) a(x,1) r(x,[2 1])`,
      { kind: 'inspection' },
      'transaction 0 reads key 0 twice, but operation 2 does not repeat the earlier result',
    ],
    [
      'misses a transaction that it sees',
      'read-committed',
      h`a(x,1) a(y,1)
      r(y,[1]) r(x,[])`,
      commits(0, 1),
      'transaction 0 is visible to transaction 1 and writes the key that operation 3 reads from the initial transaction, but the order does not put transaction 0 before the initial transaction',
    ],
    [
      'misses its session',
      'read-atomic',
      h`a(x,1) | r(x,[])`,
      commits(0, 1),
      'transaction 0 is visible to transaction 1 and writes the key that operation 1 reads from the initial transaction, but the order does not put transaction 0 before the initial transaction',
    ],
  ])('orders of appends are rejected where a read %s', (_, level, bad, certificate, problem) => {
    expect(problemOf(bad, level, 'satisfied', certificate)).toBe(problem);
  });
});

describe('contradictory lists', () => {
  // 0: a(x,1) a(x,2); 1: a(x,3); 2: r(x,[1 2 3]); 3: r(x,[1 3]); 4: r(x,[1 2 2]); 5: a(x,5) r(x,[7]); 6: r(y,[]); 7: aborted.
  const history = h`a(x,1) a(x,2)
    a(x,3)
    r(x,[1 2 3])
    r(x,[1 3])
    r(x,[1 2 2])
    a(x,5) r(x,[7])
    r(y,[]) r(x,[?]) w(z,1)
    !r(x,[3])`;

  test('contradictory lists are accepted at every level but cut isolation', () => {
    for (const level of ['read-committed-pl2', 'causal', 'snapshot-isolation', 'strict-serializable'] as const) {
      for (const certificate of [
        lists('incompatible-order', 3, 4),
        lists('incompatible-order', 4, 0),
        lists('duplicate-elements', 5, 1),
      ])
        expect(problemOf(history, level, 'violated', certificate)).toBeNull();
    }
  });

  test('contradictory lists are accepted where a list lacks some elements of its reader', () => {
    const torn = h`a(x,2) r(x,[1]) a(x,1)`;
    expect(problemOf(torn, 'causal', 'violated', lists('incompatible-order', 1, 2))).toBeNull();
  });

  test('contradictory lists are rejected where they do not contradict each other', () => {
    expectProblems(history, 'violated', accepted('causal', lists('incompatible-order', 3, 4)), [
      at(lists('incompatible-order', 3, 3), 'one of the lists of operations 3 and 3 is a prefix of the other'),
      at(lists('incompatible-order', 3, 8), 'operations 3 and 8 use different keys'),
      at(lists('incompatible-order', 3, 9), 'operation 9 has an unknown result'),
      at(lists('incompatible-order', 3, 10), 'operations 3 and 10 use different keys'),
      at(lists('incompatible-order', 3, 11), 'transaction 7, of operation 11, did not happen'),
      at(lists('incompatible-order', 3, 12), 'the other operation is 12, expected an integer from 0 to 11'),
      at(lists('incompatible-order', 3, -1), 'the other operation is -1, expected an integer from 0 to 11'),
      at(lists('incompatible-order', 1.5, 3), 'the read is 1.5, expected an integer from 0 to 11'),
      at(
        { kind: 'lists', anomaly: 'incompatible-order', read: 3 },
        'the other operation is undefined, expected an integer from 0 to 11',
      ),
      at(
        lists('incompatible-order', 3, 1),
        'the elements that transaction 0 appended are adjacent around operation 1 in the list of operation 3',
      ),
      at(
        lists('incompatible-order', 4, 2),
        'the elements that transaction 1 appended are adjacent around operation 2 in the list of operation 4',
      ),
      at(lists('incompatible-order', 4, 1), 'operation 4 does not show the element of operation 1'),
      at(lists('duplicate-elements', 3, 1), 'operation 3 shows the element 1 times, but it was appended 1 times'),
      at(lists('duplicate-elements', 5, 2), 'operation 5 shows the element 0 times, but it was appended 1 times'),
      at(lists('duplicate-elements', 5, 3), 'operation 3 is not an append'),
      at(lists('duplicate-elements', 8, 1), 'operations 8 and 1 use different keys'),
      at(lists('order' as never, 3, 4), 'the anomaly is "order", which is not an anomaly of lists'),
      at({ kind: 'lists' }, 'the read is undefined, expected an integer from 0 to 11'),
      at(
        lists('incompatible-order', 3, 4),
        'cut isolation orders nothing: an internal anomaly is the only evidence against it',
        'cut-isolation',
      ),
    ]);
  });

  test('contradictory lists are rejected where an element was appended more than once', () => {
    const twice = h`a(x,1)
      a(x,1) a(x,2)
      r(x,[1 1 2])
      r(x,[1 2])`;
    const problems = [lists('duplicate-elements', 3, 0), lists('incompatible-order', 4, 1)].map((certificate) =>
      problemOf(twice, 'causal', 'violated', certificate),
    );
    expect(problems).toEqual([
      'operation 3 shows the element 2 times, but it was appended 2 times',
      'operation 1 is not the only operation that can have appended its element',
    ]);
  });
});

describe('orders that lists show', () => {
  // 0: a(x,1) | 1: a(x,2), a session; 2: r(x,[2 1]); 3: a(x,3); 4: a(x,4) r(x,[1 4]); 5: r(y,[]) a(y,9); 6: r(x,[1]).
  const history = h`a(x,1) | a(x,2)
    r(x,[2 1])
    a(x,3)
    a(x,4) r(x,[1 4])
    r(y,[]) a(y,9)
    r(x,[1])`;
  const where = (from: number, to: number) => `edge 1, from transaction ${from} to transaction ${to}`;

  test('orders that lists show are accepted', () => {
    for (const level of ['read-committed-pl2', 'causal', 'prefix', 'snapshot-isolation', 'serializable'] as const) {
      // 2 sees the append of 1 before that of 0, and 6 only that of 0; 4 sees 0 before its own.
      for (const read of [5, 8])
        expect(problemOf(history, level, 'violated', cycle(version(1, 0, 2), version(0, 1, read)))).toBeNull();
    }
    expect(problemOf(history, 'causal', 'violated', cycle(so(0, 1), version(1, 0, 2)))).toBeNull();
  });

  test('orders that lists show are rejected where lists do not show them', () => {
    const missing = (read: number, to: number) =>
      `the list of operation ${read} does not show that transaction ${to} comes later or is missing`;
    const notShown = (read: number, from: number) =>
      `the list of operation ${read} shows no append that is certainly by transaction ${from}`;
    expectProblems(history, 'violated', accepted('causal', cycle(so(0, 1), version(1, 0, 2))), [
      at(cycle(version(0, 1, 2)), `${where(0, 1)}: ${missing(2, 1)}`),
      at(cycle(version(3, 0, 2)), `${where(3, 0)}: ${notShown(2, 3)}`),
      at(cycle(version(4, 0, 5)), `${where(4, 0)}: ${notShown(5, 4)}`), // its own append, at the end
      at(cycle(version(0, 2, 2)), `${where(0, 2)}: ${missing(2, 2)}`), // no append at all
      at(cycle(version(0, 5, 2)), `${where(0, 5)}: ${missing(2, 5)}`), // one of another key
      at(cycle(version(5, 0, 6)), `${where(5, 0)}: ${notShown(6, 5)}`),
      at(cycle(version(0, 1, 3)), `${where(0, 1)}: operation 3 is not a read`),
      at(cycle(version(0, 1, 9)), `${where(0, 1)}: the read is 9, expected an integer from 0 to 8`),
      at(
        cycle({ ...version(0, 1, 2), from: -1 }),
        'edge 1, from the initial transaction to transaction 1: the list of operation 2 shows no append that is certainly by the initial transaction',
      ),
      at(
        cycle({ ...version(0, 1, 2), to: -1 }),
        'edge 1, from transaction 0 to the initial transaction: the list of operation 2 does not show that the initial transaction comes later or is missing',
      ),
      at(cycle(wr(1, 2, 2)), `${where(1, 2)}: operation 2 does not read from transaction 1`), // not the last append
      at(cycle(wr(4, 4, 5)), 'edge 1, from transaction 4 to transaction 4: an edge needs two different transactions'),
      at(cycle(awr(1, 2, 2)), `${where(1, 2)}: operation 2 does not read from transaction 1`),
    ]);
  });

  test('orders that lists show are rejected where a register was read', () => {
    const registers = h`w(x,1)
      w(x,2)
      r(x,2)`;
    expect(problemOf(registers, 'causal', 'violated', cycle(version(0, 1, 2)))).toBe(
      `${where(0, 1)}: operation 2 is not a read of a list`,
    );
  });
});

describe('internal anomalies of lists', () => {
  // Operations: 0 a(x,1), 1 a(x,2); 2 r(x,[1]), 3 r(x,[1 2]); 4 a(x,3), 5 a(x,4), 6 r(x,[1 3]), 7 r(x,[1]), 8 r(x,[1 5 3 4]), 9 a(x,5);
  // 10 aborted a(x,6); 11 r(x,[6]), 12 r(x,[8]).
  const history = h`a(x,1) a(x,2)
    r(x,[1]) r(x,[1 2])
    a(x,3) a(x,4) r(x,[1 3]) r(x,[1]) r(x,[1 5 3 4]) a(x,5)
    !a(x,6)
    r(x,[6]) r(x,[8])`;

  test('internal anomalies of lists are accepted where the operations show them', () => {
    for (const certificate of [
      internal('intermediate-read', 2, 0),
      internal('non-repeatable-read', 3, 2),
      internal('not-my-last-write', 6, 5),
      internal('not-my-own-write', 7, 5),
      internal('future-read', 8, 9),
      internal('aborted-read', 11, 10),
      internal('thin-air-read', 12),
    ])
      expect(problemOf(history, 'read-atomic', 'violated', certificate)).toBeNull();
  });

  test('internal anomalies of lists are rejected where the operations do not show them', () => {
    const not = (read: number, anomaly: string, other: number, why: string): Row =>
      at(internal(anomaly, read, other), `operation ${read} does not show ${anomaly}: ${why}`);
    expectProblems(history, 'violated', accepted('causal', internal('thin-air-read', 12)), [
      not(3, 'thin-air-read', -1, 'every element of the list was appended'),
      not(3, 'aborted-read', 10, 'its list does not show the element of operation 10'),
      not(3, 'aborted-read', 0, 'transaction 0 was not aborted'),
      not(3, 'aborted-read', 2, 'operation 2 is not an append'),
      not(3, 'intermediate-read', 0, 'operation 0 is not the last append of others that it shows'),
      not(3, 'intermediate-read', 1, 'the transaction of operation 1 appended nothing after it, or was aborted'),
      not(11, 'intermediate-read', 10, 'the transaction of operation 10 appended nothing after it, or was aborted'),
      not(7, 'intermediate-read', 0, 'a list does not end with the appends of its own transaction'),
      not(3, 'future-read', 1, 'operation 1 is not a later operation of the same transaction'),
      not(7, 'future-read', 9, 'its list does not show the element of operation 9'),
      not(8, 'future-read', 5, 'operation 5 is not a later operation of the same transaction'),
      not(7, 'not-my-own-write', 4, "operation 4 is not its own transaction's latest append to the key before it"),
      not(8, 'not-my-own-write', 5, 'the list ends with the appends of its own transaction'),
      not(6, 'not-my-own-write', 5, 'it ends with an earlier append of its own transaction'),
      not(7, 'not-my-last-write', 5, 'it does not end with an earlier append of its own transaction'),
      not(3, 'non-repeatable-read', 3, 'operation 3 is not an earlier read of the same transaction'),
      not(8, 'non-repeatable-read', 7, 'a list does not end with the appends of its own transaction'),
    ]);
  });

  test('internal anomalies of lists are rejected where another append of the element explains the read', () => {
    const twice = h`!a(x,1)
      a(x,1) a(x,2)
      r(x,[1]) r(x,[1]) a(x,3)
      a(x,1)
      a(x,3)
      r(x,[3]) a(x,3)
      r(x,[?]) r(x,[])`;
    const problems = [
      internal('aborted-read', 3, 0),
      internal('intermediate-read', 3, 1),
      internal('non-repeatable-read', 4, 3),
      internal('future-read', 8, 9),
      internal('non-repeatable-read', 11, 10),
      internal('thin-air-read', 10),
    ].map((certificate) => problemOf(twice, 'read-atomic', 'violated', certificate)?.replace(/.*: /, ''));
    expect(problems).toEqual([
      'a transaction that was not aborted also appended the element',
      'another transaction appended the element last',
      'both reads see the same appends of others',
      'another transaction also appended the element, or it was appended earlier',
      'operation 10 has an unknown result',
      'operation 10 has an unknown result',
    ]);
  });
});
