/**
 * Acyclicity through transitivity, in cubic size: CobraSAT's encodings tc1 and tc3 (after Janota, Grigore & Manquinho,
 * On the quest for an acyclic graph, RCRA 2017) and axiom (Biswas & Enea, OOPSLA 2019). Variables are rows of a square
 * matrix.
 */
import type { PolygraphInput } from '@isolab/history';
import { DimacsSize } from './dimacs-size.ts';
import type { Formula } from '../formula/formula.ts';
import { type EdgeVariable, addPolygraph } from './constraints.ts';

/** Edges imply a second relation that is transitive and irreflexive: 2n² variables. */
export function tc1(formula: Formula, polygraph: PolygraphInput, xor: boolean): EdgeVariable {
  const n = polygraph.nodes;
  const edge = matrix(formula, n);
  const reach = matrix(formula, n);
  formula.reserve(n * n + n, 2 * n * n + n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) formula.clause2(-edge(i, j), reach(i, j));
  addIrreflexive(formula, reach, n);
  addTransitive(formula, reach, n);
  addPolygraph(formula, polygraph, edge, xor);
  return edge;
}

/** The edges themselves are transitive, as additional edges are harmless: n² variables. */
export function tc3(formula: Formula, polygraph: PolygraphInput, xor: boolean): EdgeVariable {
  const edge = matrix(formula, polygraph.nodes);
  addIrreflexive(formula, edge, polygraph.nodes);
  addTransitive(formula, edge, polygraph.nodes);
  addPolygraph(formula, polygraph, edge, xor);
  return edge;
}

/** A single total order. The axiom (u before r implies u before w) is `r before u or u before w`. */
export function axiom(formula: Formula, polygraph: PolygraphInput): EdgeVariable {
  const n = polygraph.nodes;
  const before = matrix(formula, n);
  addIrreflexive(formula, before, n);
  addTotal(formula, before, n);
  addTransitive(formula, before, n);
  addPolygraph(formula, polygraph, before, false);
  return before;
}

/** Makes a variable for every ordered pair, including (i, i). */
export function matrix(formula: Formula, n: number): EdgeVariable {
  const first = formula.variables(n * n);
  return (from, to) => first + from * n + to;
}

export function addIrreflexive(formula: Formula, relation: EdgeVariable, n: number): void {
  for (let i = 0; i < n; i++) formula.clause1(-relation(i, i));
}

/** States that of any two nodes exactly one precedes the other. */
export function addTotal(formula: Formula, relation: EdgeVariable, n: number): void {
  formula.reserve(n * (n - 1), 2 * n * (n - 1));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      formula.clause2(relation(i, j), relation(j, i));
      formula.clause2(-relation(i, j), -relation(j, i));
    }
  }
}

export const addTransitive = (formula: Formula, relation: EdgeVariable, n: number): void =>
  addComposition(formula, relation, relation, relation, n);

/** States that first(i, k) and second(k, j) imply whole(i, j), for k other than i and j: n(n − 1)² clauses. */
export function addComposition(
  formula: Formula,
  first: EdgeVariable,
  second: EdgeVariable,
  whole: EdgeVariable,
  n: number,
): void {
  // The size of billions of clauses is computed without generating them.
  if (formula instanceof DimacsSize) return formula.addComposition(first, second, whole, n);
  const clauses = n * (n - 1) ** 2;
  formula.reserve(clauses, 3 * clauses);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      if (k === i) continue;
      const ik = -first(i, k);
      for (let j = 0; j < n; j++) if (j !== k) formula.clause3(ik, -second(k, j), whole(i, j));
    }
  }
}
