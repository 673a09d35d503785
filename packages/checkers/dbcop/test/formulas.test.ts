// Test of theorem 3.2 of Biswas and Enea: the reduction from boolean satisfiability.

import { draws, formulaHistory, isSatisfiable } from '@isolab/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { check } from './support/run.ts';

const HARD = ['prefix', 'snapshot-isolation', 'serializable'] as const;

const literal = fc.tuple(fc.integer({ min: 1, max: 2 }), fc.boolean()).map(([k, isNegated]) => (isNegated ? -k : k));
const formulas = fc.array(fc.array(literal, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 });

test.each(HARD)('%s of the history of a formula is its satisfiability', (level) => {
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(formulas, (formula) => {
      const isTrue = isSatisfiable(formula);
      seen[`${isTrue}`]++;
      expect(check(formulaHistory(formula), level).status).toBe(isTrue ? 'satisfied' : 'violated');
    }),
    { numRuns: draws(40), examples: [[[[1], [-1]]], [[[1, -1]]]] },
  );
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(0);
});

test('the weaker levels hold for every formula', () => {
  for (const formula of [
    [[1], [-1]],
    [[1, 2], [-1, 2], [-2]],
  ])
    for (const level of ['read-committed', 'read-atomic', 'causal'] as const)
      expect(check(formulaHistory(formula), level).status).toBe('satisfied');
});
