import { saw, type Condition, type Row, type Case } from './case.ts';

/** Hermitage's table: two rows, each with a number. */
const PAIRS: readonly string[] = [
  'CREATE TABLE isolab_test (id INT PRIMARY KEY, value INT)',
  'INSERT INTO isolab_test (id, value) VALUES (1, 10), (2, 20)',
];

/** Adds Hermitage's table and group to its cases. */
export const onPairs = (cases: readonly Omit<Case, 'group' | 'tables'>[]): readonly Case[] =>
  cases.map((each) => ({ ...each, group: 'hermitage', tables: PAIRS }));

export const ALL_PAIRS = 'SELECT id, value FROM isolab_test ORDER BY id';

/** Returns the condition that a read saw both rows in their initial state. */
export const atFirst = (read: string): Condition => saw(read, ...FIRST);

const FIRST: readonly Row[] = [
  [1, 10],
  [2, 20],
];
