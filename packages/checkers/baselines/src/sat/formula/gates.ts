import type { Formula } from './formula.ts';

/**
 * Tseitin's gates: each gate is a new variable that is equivalent to a function of its inputs. Negations have gates,
 * too.
 */
export function notGate(formula: Formula, a: number): number {
  const gate = formula.variables(1);
  formula.clause2(gate, a);
  formula.clause2(-gate, -a);
  return gate;
}

export function andGate(formula: Formula, a: number, b: number): number {
  const gate = formula.variables(1);
  formula.clause2(-gate, a);
  formula.clause2(-gate, b);
  formula.clause3(gate, -a, -b);
  return gate;
}

export function orGate(formula: Formula, a: number, b: number): number {
  const gate = formula.variables(1);
  formula.clause2(gate, -a);
  formula.clause2(gate, -b);
  formula.clause3(-gate, a, b);
  return gate;
}

/**
 * States that if the condition holds (0: always), the number at `a` is less than the number at `b`; the converse is not
 * implied.
 */
export function less(formula: Formula, a: number, b: number, width: number, condition: number): void {
  let here = condition; // the bits from k on are less
  for (let k = 0; k < width; k++) {
    const rest = k + 1 < width ? formula.variables(1) : 0;
    const clauses = [
      [-(a + k), b + k],
      [a + k, b + k, rest],
      [-(a + k), -(b + k), rest],
    ];
    for (const clause of clauses) {
      // An empty remainder is never less, and an absent condition always holds.
      const literals = clause.filter((literal) => literal !== 0);
      formula.clause(here === 0 ? literals : [-here, ...literals]);
    }
    here = rest;
  }
  if (width === 0) formula.clause(condition === 0 ? [] : [-condition]);
}

export function differ(formula: Formula, a: number, b: number, width: number): void {
  const bit = formula.variables(width);
  const some: number[] = [];
  for (let k = 0; k < width; k++) {
    formula.clause3(-(bit + k), a + k, b + k);
    formula.clause3(-(bit + k), -(a + k), -(b + k));
    some.push(bit + k);
  }
  formula.clause(some);
}

export const bitsFor = (count: number): number => (count <= 1 ? 0 : 32 - Math.clz32(count - 1));
