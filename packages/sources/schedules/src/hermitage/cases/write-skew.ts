import { all, saw, steps } from './case.ts';
import { ALL_PAIRS, atFirst, onPairs } from './pairs.ts';

/** Cases of transactions that each miss the writes of the other. */
export const WRITE_SKEW = onPairs([
  {
    name: 'G2-item',
    title: 'write skew',
    what: 'T1 and T2 read both rows, and each writes a different row. Wrong if both saw the first values and both commit.',
    forbiddenBy: ['plain-serializable'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT id, value FROM isolab_test WHERE id IN (1, 2) => first
      T2: SELECT id, value FROM isolab_test WHERE id IN (1, 2) => second
      T1: UPDATE isolab_test SET value = 11 WHERE id = 1
      T2: UPDATE isolab_test SET value = 21 WHERE id = 2
      T1: COMMIT
      T2: COMMIT
    `),
    shown: all(atFirst('first'), atFirst('second')),
  },
  {
    name: 'G2',
    title: 'write skew on a predicate',
    what: 'T1 and T2 look for the same rows, find none, and each inserts one. Wrong if both found none and both commit.',
    forbiddenBy: ['plain-serializable'],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT id, value FROM isolab_test WHERE value % 3 = 0 => first
      T2: SELECT id, value FROM isolab_test WHERE value % 3 = 0 => second
      T1: INSERT INTO isolab_test (id, value) VALUES (3, 30)
      T2: INSERT INTO isolab_test (id, value) VALUES (4, 42)
      T1: COMMIT
      T2: COMMIT
    `),
    shown: all(saw('first'), saw('second')),
  },
  {
    name: 'G2, two edges',
    title: 'cycle with a reader',
    what: 'T1 reads both rows; T2 changes one and commits; T3 reads both; T1 writes the other. Wrong if T1 missed T2, T3 saw T2 and missed T1, and all commit.',
    forbiddenBy: ['plain-serializable'],
    steps: steps(`
      T1: BEGIN
      T1: ${ALL_PAIRS} => first
      T2: BEGIN
      T2: UPDATE isolab_test SET value = value + 5 WHERE id = 2
      T2: COMMIT
      T3: BEGIN
      T3: ${ALL_PAIRS} => third
      T3: COMMIT
      T1: UPDATE isolab_test SET value = 0 WHERE id = 1
      T1: COMMIT
    `),
    shown: all(atFirst('first'), saw('third', [1, 10], [2, 25])),
  },
]);
