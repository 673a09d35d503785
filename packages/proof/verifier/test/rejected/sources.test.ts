import { expect, test } from 'vitest';
import { problemOf } from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { accepted, expectProblems } from '../support/problems.ts';

// Transactions 0 and 1 of session 0, then 2, 3 and 4 (4 of unknown outcome), and 5, which aborted.
const history = h`w(x,1) | w(x,3) w(y,1)
  w(x,1)
  r(y,1) r(x,1) r(x,1) w(x,5) r(x,5)
  ?w(x,1)
  !w(x,1)`;
const sees = (...sources: unknown[]) => ({ kind: 'commit-order', order: [0, 1, 2, 3], sources });

test('stated sources are refused where the read cannot have seen them', () => {
  expectProblems(history, 'satisfied', accepted('causal', sees([5, 2], [6, 2])), [
    [
      'none',
      'causal',
      sees(),
      'operation 5 of transaction 3 may have read from several transactions, because the value was written more than once',
    ],
    [
      'an overwritten one',
      'causal',
      sees([5, 0], [6, 0]),
      'transaction 1 is visible to transaction 3 and writes the key that operation 5 reads from transaction 0, but the order does not put transaction 1 before transaction 0',
    ],
    [
      'two writers',
      'causal',
      sees([5, 2], [6, 0]),
      'transaction 3 reads key 0 twice, and operations 5 and 6 do not see the same writer',
    ],
    ['another value', 'causal', sees([5, 1], [6, 1]), 'source 1: operation 5 cannot have seen transaction 1'],
    [
      'the initial state',
      'causal',
      sees([5, -1], [6, 2]),
      'source 1: operation 5 cannot have seen the initial transaction',
    ],
    ['the reader', 'causal', sees([5, 3], [6, 2]), 'source 1: operation 5 cannot have seen transaction 3'],
    ['one that is not listed', 'causal', sees([5, 4], [6, 2]), 'source 1: operation 5 cannot have seen transaction 4'],
    ['an aborted one', 'causal', sees([5, 5], [6, 2]), 'source 1: operation 5 cannot have seen transaction 5'],
    ['twice', 'causal', sees([5, 2], [5, 2]), 'source 2: operation 5 already has a source'],
    ['of a write', 'causal', sees([0, 2]), 'source 1: operation 0 is not a read of a register'],
    ['after an own write', 'causal', sees([8, 1]), 'source 1: operation 8 comes after a write of its own transaction'],
    ['of no operation', 'causal', sees([99, 1]), 'source 1: the read is 99, expected an integer from 0 to 10'],
    ['no pair', 'causal', sees(5), 'source 1: it is 5, expected a list'],
    ['too much', 'causal', sees([5, 2, 2]), 'source 1: it has more than a read and a writer'],
    [
      'no list',
      'causal',
      { kind: 'commit-order', order: [0, 1, 2, 3], sources: 5 },
      'the list of sources is 5, expected a list',
    ],
  ]);
});

test('each read has a source of its own at read committed, and serial orders are executed', () => {
  expect(problemOf(history, 'read-committed-pl2', 'satisfied', sees([5, 2], [6, 0]))).toBeNull();
  expect(problemOf(history, 'serializable', 'satisfied', sees(5))).toBeNull();
});

test('a source that comes later in the session of its reader is refused where sessions count', () => {
  const later = h`r(x,1) | w(x,1)`;
  const order = { kind: 'commit-order', order: [1, 0], sources: [[0, 1]] };
  expect(problemOf(later, 'read-committed-pl2', 'satisfied', order)).toBeNull();
  expect(problemOf(later, 'read-committed', 'satisfied', order)).toBe(
    'the order puts transaction 1 before transaction 0, which is earlier in its session',
  );
});
