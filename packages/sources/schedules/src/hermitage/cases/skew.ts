import { all, has, notSerial, saw, steps } from './case.ts';
import { ALL_PAIRS, atFirst, onPairs } from './pairs.ts';

/** Cases of transactions that see another transaction partially, or overwrite versions that they have not seen. */
export const SKEW = onPairs([
  {
    name: 'PMP',
    title: 'predicate-many-preceders',
    what: 'T1 searches for rows twice, and T2 inserts a row that matches both searches. Wrong if only the second search finds it.',
    forbiddenBy: ['cut-isolation'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT id, value FROM isolab_test WHERE value = 30 => before
      T2: INSERT INTO isolab_test (id, value) VALUES (3, 30)
      T2: COMMIT
      T1: SELECT id, value FROM isolab_test WHERE value % 3 = 0 => after
      T1: COMMIT
    `),
    shown: all(saw('before'), saw('after', [3, 30])),
  },
  {
    name: 'PMP, write',
    title: 'the same in a DELETE',
    what: 'T1 adds 10 to every row; T2 looks for the rows with 20, deletes them, and looks again. Wrong if the rows that T2 found and the rows that are left match neither order of the two.',
    forbiddenBy: ['adya-snapshot-isolation'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: UPDATE isolab_test SET value = value + 10
      T2: SELECT id, value FROM isolab_test WHERE value = 20 => before
      T2: DELETE FROM isolab_test WHERE value = 20
      T1: COMMIT
      T2: SELECT id, value FROM isolab_test WHERE value = 20 => after
      T2: COMMIT
    `),
    final: [ALL_PAIRS],
    shown: notSerial(
      all(saw('before', [2, 20]), saw('after'), saw('final', [1, 20])),
      all(saw('before', [1, 20]), saw('after'), saw('final', [2, 30])),
    ),
  },
  {
    name: 'P4',
    title: 'lost update',
    what: 'T1 and T2 each read a row, then write it. Wrong if both saw the first value and both commit.',
    forbiddenBy: ['adya-snapshot-isolation'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT id, value FROM isolab_test WHERE id = 1 => first
      T2: SELECT id, value FROM isolab_test WHERE id = 1 => second
      T1: UPDATE isolab_test SET value = 11 WHERE id = 1
      T2: UPDATE isolab_test SET value = 12 WHERE id = 1
      T1: COMMIT
      T2: COMMIT
    `),
    shown: all(saw('first', [1, 10]), saw('second', [1, 10])),
  },
  {
    name: 'G-single',
    title: 'read skew',
    what: 'T2 writes both rows and commits; T1 reads one row before that and the other after it. Wrong if T1 sees the second row as T2 left it.',
    forbiddenBy: ['read-atomic', 'adya-snapshot-isolation'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT id, value FROM isolab_test WHERE id = 1 => first
      T2: SELECT id, value FROM isolab_test WHERE id = 1
      T2: SELECT id, value FROM isolab_test WHERE id = 2
      T2: UPDATE isolab_test SET value = 12 WHERE id = 1
      T2: UPDATE isolab_test SET value = 18 WHERE id = 2
      T2: COMMIT
      T1: SELECT id, value FROM isolab_test WHERE id = 2 => second
      T1: COMMIT
    `),
    shown: all(saw('first', [1, 10]), saw('second', [2, 18])),
  },
  {
    name: 'G-single, predicate',
    title: 'read skew between predicates',
    what: 'T1 looks for rows, T2 changes one so that it matches another search, and T1 does that search. Wrong if T1 finds the row in both, with different values.',
    forbiddenBy: ['cut-isolation'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT id, value FROM isolab_test WHERE value % 5 = 0 => before
      T2: UPDATE isolab_test SET value = 12 WHERE value = 10
      T2: COMMIT
      T1: SELECT id, value FROM isolab_test WHERE value % 3 = 0 => after
      T1: COMMIT
    `),
    shown: all(atFirst('before'), saw('after', [1, 12])),
  },
  {
    name: 'G-single, write',
    title: 'read skew in a DELETE',
    what: 'T1 reads a row; T2 reads and writes both and commits; T1 deletes the rows with 20, and there was one when it began. Wrong if both commit: T1 saw the state before T2, and T2 the state before T1.',
    forbiddenBy: ['adya-snapshot-isolation'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT id, value FROM isolab_test WHERE id = 1 => first
      T2: ${ALL_PAIRS} => both
      T2: UPDATE isolab_test SET value = 12 WHERE id = 1
      T2: UPDATE isolab_test SET value = 18 WHERE id = 2
      T2: COMMIT
      T1: DELETE FROM isolab_test WHERE value = 20
      T1: COMMIT
    `),
    final: [ALL_PAIRS],
    shown: all(saw('first', [1, 10]), has('both', [2, 20])),
  },
]);
