/** CobraSAT's encodings of acyclicity through labels: every node has a number, and edges lead to greater numbers. */
import type { PolygraphInput } from '@isolab/history';
import type { Formula } from '../formula/formula.ts';
import { andGate, bitsFor, notGate, orGate } from '../formula/gates.ts';
import { matrix } from './closure.ts';
import { type EdgeVariable, type Edges, addPolygraph, allPairs, usedPairs } from './constraints.ts';

/** With `sparse`, only pairs that an edge may join get a variable; as published, all pairs do. */
export interface LabelOptions {
  readonly xor: boolean;
  readonly sparse: boolean;
}

const edgesOf = (formula: Formula, polygraph: PolygraphInput, sparse: boolean): Edges =>
  sparse ? usedPairs(formula, polygraph) : allPairs(polygraph.nodes, matrix(formula, polygraph.nodes));

/** Binary numbers of ⌈log₂ n⌉ bits, compared by Tseitin formulas: 6b + 3 variables and 16b + 7 clauses per pair. */
export function binaryLabel(formula: Formula, polygraph: PolygraphInput, { xor, sparse }: LabelOptions): EdgeVariable {
  const n = polygraph.nodes;
  const { edge, from, to } = edgesOf(formula, polygraph, sparse);
  const bits = bitsFor(n);
  const label = formula.variables(n * bits);
  formula.reserve(from.length * (16 * bits + 7), from.length * (36 * bits + 18));
  let all = 0;
  for (let pair = 0; pair < from.length; pair++) {
    const isLess = lessGate(formula, label + from[pair] * bits, label + to[pair] * bits, bits);
    const noEdge = notGate(formula, edge(from[pair], to[pair]));
    const implies = isLess === 0 ? noEdge : orGate(formula, noEdge, isLess);
    all = all === 0 ? sameGate(formula, implies) : andGate(formula, implies, all);
  }
  if (all !== 0) formula.clause1(all);
  addPolygraph(formula, polygraph, edge, xor);
  return edge;
}

/** aₖ < bₖ, or aₖ ≤ bₖ and the lower bits are less; 0 for numbers without bits, as no empty number is less. */
function lessGate(formula: Formula, a: number, b: number, bits: number): number {
  let rest = 0;
  for (let k = bits - 1; k >= 0; k--) {
    const isDigitLess = andGate(formula, notGate(formula, a + k), b + k);
    const isDigitNotMore = orGate(formula, notGate(formula, a + k), b + k);
    const isRestLess = rest === 0 ? andFalse(formula, isDigitNotMore) : andGate(formula, isDigitNotMore, rest);
    rest = orGate(formula, isDigitLess, isRestLess);
  }
  return rest;
}

/** The gate of a conjunction with false, after simplification. */
function andFalse(formula: Formula, a: number): number {
  const gate = formula.variables(1);
  formula.clause2(-gate, a);
  formula.clause1(-gate);
  return gate;
}

/** The gate of a conjunction with true, after simplification. */
function sameGate(formula: Formula, a: number): number {
  const gate = formula.variables(1);
  formula.clause2(-gate, a);
  formula.clause2(gate, -a);
  return gate;
}

/**
 * Unary numbers: n bits, none of them less than the bit before. Every pair and bit has a witness: the first number
 * lacks the bit and the second has it. An edge needs one witness. n³ + 2n² variables.
 */
export function unaryLabel(formula: Formula, polygraph: PolygraphInput, { xor, sparse }: LabelOptions): EdgeVariable {
  const n = polygraph.nodes;
  const { edge, from, to } = edgesOf(formula, polygraph, sparse);
  const bit = matrix(formula, n);
  const witness = formula.variables(from.length * n);
  formula.reserve(n * n + from.length * (2 * n + 1), 2 * n * n + from.length * 7 * n);
  for (let i = 0; i < n; i++) for (let k = 1; k < n; k++) formula.clause2(-bit(i, k - 1), bit(i, k));
  for (let pair = 0; pair < from.length; pair++) {
    const noEdge = -edge(from[pair], to[pair]);
    const first = witness + pair * n;
    const some: number[] = [];
    for (let k = 0; k < n; k++) {
      formula.clause3(noEdge, -bit(from[pair], k), -(first + k));
      formula.clause3(noEdge, bit(to[pair], k), -(first + k));
      some.push(first + k);
    }
    formula.clause(some);
  }
  addPolygraph(formula, polygraph, edge, xor);
  return edge;
}
