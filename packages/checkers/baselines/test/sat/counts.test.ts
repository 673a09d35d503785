import { expect, test } from 'vitest';
import { polygraphOf } from '@isolab/testkit';
import { type PolygraphEncoding, encodePolygraph } from '../../src/sat/index.ts';
import { DEFAULTS } from './support/run.ts';

/** A polygraph as large as CobraSAT's R50-100: 99 nodes, 176 known edges, 24 constraints. */
const EDGES = Array.from({ length: 176 }, (_, e) => (e < 98 ? [e, e + 1] : [e - 98, e - 96])).flat();
const CONSTRAINTS = Array.from({ length: 24 }, (_, c) => [c + 1, c + 50, c + 50, c]).flat();
const R50_100 = polygraphOf(99, EDGES, CONSTRAINTS);

const sizeOf = (encoding: PolygraphEncoding) => {
  const { formula } = encodePolygraph(R50_100, encoding, DEFAULTS).problem;
  return [formula.numVariables, formula.numClauses];
};

// The figures of CobraSAT; of the first three it does not give the clauses.
test.each([
  ['tc1', 2 * 99 ** 2, 99 * 98 ** 2 + 99 + 99 ** 2 + 176 + 2 * 24],
  ['tc3', 99 ** 2, 99 * 98 ** 2 + 99 + 176 + 2 * 24],
  ['axiom', 99 ** 2, 99 * 98 ** 2 + 99 + 99 * 98 + 176 + 24],
  ['binary-label', 451_539, 1_166_543],
  ['unary-label', 989_901, 1_960_325],
] as const)('%s has %d variables and %d clauses', (encoding, variables, clauses) => {
  expect(sizeOf(encoding)).toEqual([variables, clauses]);
});

test('mono has a variable for every edge, and a clause for every known one and side of a constraint', () => {
  expect(sizeOf('mono')).toEqual([176 + 2 * 24, 176 + 2 * 24]);
});
