import { describe, expect, test } from 'vitest';
import { LEVELS } from '../src/levels.ts';
import { expectCertified } from './support/certificates.ts';
import { h } from './support/notation.ts';
import { check, statusOf } from './support/run.ts';

/**
 * Columns: read-committed-dbcop, read-committed, read-atomic, causal, prefix, snapshot-isolation, serializable; + holds,
 * - does not.
 */
const MATRIX = [
  ['thin-air read', h`r(x,9)`, '-------'],
  [
    'aborted read',
    h`!r(x,0) w(x,1)
                     r(x,1)`,
    '-------',
  ],
  ['future read', h`r(x,1) w(x,1)`, '-------'],
  ['not my last write', h`r(x,0) w(x,1) w(x,2) r(x,1)`, '-------'],
  ['not my own write', h`r(x,0) w(x,1) r(x,0)`, '-------'],
  [
    'intermediate read',
    h`r(x,0) w(x,1) w(x,2)
                          r(x,1)`,
    '-------',
  ],
  [
    'non-repeatable reads, older one first',
    h`r(x,0) w(x,1)
                                              r(x,0) r(x,1)`,
    '++-----',
  ],
  [
    'non-repeatable reads, newer one first',
    h`r(x,0) w(x,1)
                                              r(x,1) r(x,0)`,
    '-+-----',
  ],
  [
    'an older version after one of the same transaction, and after one of another key of it',
    h`w(x,1) w(y,1)
      r(x,1) r(y,1) r(x,0)`,
    '-------',
  ],
  [
    'session guarantee violation',
    h`r(x,0) w(x,1)
                                    r(x,1) w(x,2) | r(x,1)`,
    '++-----',
  ],
  [
    'non-monotonic read',
    h`r(x,0) w(x,1)
                           r(x,1) r(y,0) w(x,2) w(y,2)
                           r(y,2) r(x,1)`,
    '-------',
  ],
  [
    'fractured read',
    h`r(x,0) r(y,0) w(x,1) w(y,1)
                       r(y,0) r(x,1)`,
    '++-----',
  ],
  [
    'fractured read, newer one first',
    h`r(x,0) r(y,0) w(x,1) w(y,1)
                                        r(x,1) r(y,0)`,
    '-------',
  ],
  [
    'causality violation',
    h`r(x,0) w(x,1)
                            r(x,1) r(y,0) w(y,1)
                            r(x,0) r(y,1)`,
    '+++----',
  ],
  [
    'long fork',
    h`r(x,0) w(x,1)
                  r(y,0) w(y,1)
                  r(x,1) r(y,0)
                  r(x,0) r(y,1)`,
    '++++---',
  ],
  [
    'lost update',
    h`r(x,0) w(x,1)
                    r(x,0) w(x,2)`,
    '+++++--',
  ],
  [
    'write skew',
    h`r(x,0) r(y,0) w(x,1)
                   r(x,0) r(y,0) w(y,1)`,
    '++++++-',
  ],
  [
    'lost updates, both seen later',
    h`r(x,0) w(x,1)
      r(x,0) w(x,2)
      r(x,1) | r(x,2)`,
    '+++++--',
  ],
  [
    'a lost update of a version that was written',
    h`w(x,1)
      r(x,1) w(x,2)
      r(x,1) w(x,3)`,
    '+++++--',
  ],
  [
    'writers of a key that do not see each other',
    h`w(x,1)
      w(x,2)
      r(x,1) | r(x,2)`,
    '+++++++',
  ],
  [
    'cyclic information flow',
    h`w(x,1) r(y,1)
                                w(y,1) r(x,1)`,
    '-------',
  ],
  ['a session that reads what it writes later', h`r(x,1) | w(x,1)`, '-------'],
  ['a session that forgets its own write', h`w(x,1) | r(x,0)`, '++-----'],
  ['a session that forgets it, two transactions later', h`w(x,1) | w(y,1) | r(x,0)`, '++-----'],
  [
    'a read of a transaction of unknown outcome',
    h`?w(x,1) w(y,1)
                                                   r(x,1) r(y,0)`,
    '-------',
  ],
  [
    'an unread transaction of unknown outcome',
    h`?w(x,1) r(y,9)
                                                 r(x,0)`,
    '+++++++',
  ],
  ['no transaction', h``, '+++++++'],
  ['only aborted transactions', h`!w(x,1) r(x,7)`, '+++++++'],
  ['an empty transaction', h`w(x,1) |  | r(x,1)`, '+++++++'],
] as const;

describe.each([
  ['as a whole', {}],
  ['by biconnected components', { decompose: true }],
])('%s', (_, options) => {
  test.each(MATRIX)('judges and proves: %s', (__, history, expected) => {
    const verdicts = LEVELS.map((level) => {
      const verdict = check(history, level, options);
      expectCertified(history, level, verdict);
      return verdict.status === 'satisfied' ? '+' : '-';
    });
    expect(verdicts.join('')).toBe(expected);
  });
});

test.each([
  [
    'causal',
    h`w(x,1) r(y,1)
               w(y,1) r(x,1)`,
    'G1c',
    [0, 1],
  ],
  [
    'read-committed',
    h`w(x,1) w(y,1)
                       r(x,1) r(y,0)`,
    'non-monotonic-read',
    [-1, 0, 1],
  ],
  [
    'read-atomic',
    h`w(x,1) w(y,1)
                    r(y,0) r(x,1)`,
    'fractured-read',
    [-1, 0, 1],
  ],
  [
    'read-atomic',
    h`w(x,1)
                    r(x,1) w(x,2) | r(x,1)`,
    'session-guarantee-violation',
    [0, 1, 2],
  ],
  [
    'causal',
    h`w(x,1)
               r(x,1) w(y,1)
               r(x,0) r(y,1)`,
    'causality-violation',
    [-1, 0, 2],
  ],
] as const)('at %s, names the anomaly and the transactions in it', (level, history, name, transactions) => {
  const verdict = check(history, level);
  if (verdict.status !== 'violated') throw new Error(verdict.status);
  expect(verdict.anomalies.map((anomaly) => anomaly.name)).toEqual([name]);
  expect(verdict.anomalies[0]!.transactions.toSorted((a, b) => a - b)).toEqual(transactions);
});

/** Anomalies that the published tool does not see; the last column says at which of the levels. */
describe('the published tool', () => {
  test.each([
    ['future read', h`r(x,1) w(x,1)`, '+++++++'],
    [
      'non-monotonic read',
      h`r(x,0) w(x,1)
                             r(x,1) r(y,0) w(x,2) w(y,2)
                             r(y,2) r(x,1)`,
      '++-----',
    ],
    [
      'cyclic information flow',
      h`w(x,1) r(y,1)
                                  w(y,1) r(x,1)`,
      '++-----',
    ],
    ['a session that forgets its own write', h`w(x,1) | r(x,0)`, '++-----'],
    ['a session that forgets it, two transactions later', h`w(x,1) | w(y,1) | r(x,0)`, '+++----'],
    [
      'aborted read',
      h`!w(x,1)
                       r(x,1)`,
      '-------',
    ],
    [
      'long fork',
      h`r(x,0) w(x,1)
                    r(y,0) w(y,1)
                    r(x,1) r(y,0)
                    r(x,0) r(y,1)`,
      '++++---',
    ],
    [
      'lost updates, both seen later, which is prefix consistent',
      h`r(x,0) w(x,1)
        r(x,0) w(x,2)
        r(x,1) | r(x,2)`,
      '++++---',
    ],
  ] as const)('judges: %s', (_, history, expected) => {
    const statuses = LEVELS.map((level) => statusOf(history, level, { asPublished: true }));
    expect(statuses.map((status) => (status === 'satisfied' ? '+' : '-')).join('')).toBe(expected);
  });

  test.each([
    [
      'stale reads of the initial state',
      h`w(x,1) r(y,0)
                                           r(x,1) r(y,0) | r(x,0)`,
    ],
    ['sessions that share no key', h`w(x,1) | w(x,2) | r(x,1)`],
  ])('the published tool, by components, misses %s', (_, history) => {
    expect(statusOf(history, 'causal', { asPublished: true })).toBe('violated');
    expect(statusOf(history, 'causal', { decompose: true })).toBe('violated');
    expect(statusOf(history, 'causal', { asPublished: true, decompose: true })).toBe('satisfied');
  });

  test('an accepted history has no certificate, since none need exist', () => {
    expect(check(h`w(x,1)`, 'causal', { asPublished: true })).toEqual({
      status: 'satisfied',
      uncertified: 'as-published',
    });
  });
});
