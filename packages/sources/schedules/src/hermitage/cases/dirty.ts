import { any, goesBack, has, all, saw, steps } from './case.ts';
import { ALL_PAIRS, onPairs } from './pairs.ts';

/**
 * Cases of writes that are overwritten before they commit, and of reads of values that are uncommitted or never commit.
 */
export const DIRTY = onPairs([
  {
    name: 'G0',
    title: 'dirty write',
    what: 'T1 and T2 each write both rows, in opposite orders. Wrong if one row is left from T1 and the other from T2.',
    forbiddenBy: ['read-committed-pl2'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: UPDATE isolab_test SET value = 11 WHERE id = 1
      T2: UPDATE isolab_test SET value = 12 WHERE id = 1
      T2: UPDATE isolab_test SET value = 22 WHERE id = 2
      T1: UPDATE isolab_test SET value = 21 WHERE id = 2
      T1: COMMIT
      T2: COMMIT
    `),
    final: [ALL_PAIRS],
    shown: any(saw('final', [1, 11], [2, 22]), saw('final', [1, 12], [2, 21])),
  },
  {
    name: 'G1a',
    title: 'aborted read',
    what: 'T1 writes a row and rolls back; T2 reads meanwhile. Wrong if T2 sees the write.',
    forbiddenBy: ['read-committed-pl2'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: UPDATE isolab_test SET value = 101 WHERE id = 1
      T2: ${ALL_PAIRS} => before
      T1: ROLLBACK
      T2: ${ALL_PAIRS} => after
      T2: COMMIT
    `),
    shown: any(has('before', [1, 101]), has('after', [1, 101])),
  },
  {
    name: 'G1b',
    title: 'intermediate read',
    what: 'T1 writes a row twice. Wrong if T2 sees the first value, which was never committed.',
    forbiddenBy: ['read-committed-pl2'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: UPDATE isolab_test SET value = 101 WHERE id = 1
      T2: ${ALL_PAIRS} => before
      T1: UPDATE isolab_test SET value = 11 WHERE id = 1
      T1: COMMIT
      T2: ${ALL_PAIRS} => after
      T2: COMMIT
    `),
    shown: any(has('before', [1, 101]), has('after', [1, 101])),
  },
  {
    name: 'G1c',
    title: 'circular information flow',
    what: 'T1 and T2 each write a row, then read the row of the other. Wrong if each sees the other’s write.',
    forbiddenBy: ['read-committed-pl2'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: UPDATE isolab_test SET value = 11 WHERE id = 1
      T2: UPDATE isolab_test SET value = 22 WHERE id = 2
      T1: SELECT id, value FROM isolab_test WHERE id = 2 => second
      T2: SELECT id, value FROM isolab_test WHERE id = 1 => first
      T1: COMMIT
      T2: COMMIT
    `),
    shown: all(saw('second', [2, 22]), saw('first', [1, 11])),
  },
  {
    name: 'OTV',
    title: 'observed transaction vanishes',
    what: 'T1 and then T2 write both rows; T3 reads them meanwhile. Wrong if T3 sees a row as T1 or T2 left it and, in the same read or later, the other row as it was before.',
    forbiddenBy: ['read-committed'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T3: BEGIN
      T1: UPDATE isolab_test SET value = 11 WHERE id = 1
      T1: UPDATE isolab_test SET value = 19 WHERE id = 2
      T2: UPDATE isolab_test SET value = 12 WHERE id = 1
      T1: COMMIT
      T3: ${ALL_PAIRS} => one
      T2: UPDATE isolab_test SET value = 18 WHERE id = 2
      T3: ${ALL_PAIRS} => two
      T2: COMMIT
      T3: ${ALL_PAIRS} => three
      T3: COMMIT
    `),
    shown: goesBack(['one', 'two', 'three'], { 1: [10, 11, 12], 2: [20, 19, 18] }),
  },
]);
