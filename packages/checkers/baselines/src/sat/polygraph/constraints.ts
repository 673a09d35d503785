import type { PolygraphInput } from '@isolab/history';
import { edgesOf, forEachConstraint } from '../../polygraph-edges.ts';
import type { Formula } from '../formula/formula.ts';

export type EdgeVariable = (from: number, to: number) => number;

/** Adds all known edges, and one edge of each constraint; with `xor` exactly one, where both would close a cycle. */
export function addPolygraph(formula: Formula, polygraph: PolygraphInput, edge: EdgeVariable, xor: boolean): void {
  const { edges, constraints } = polygraph;
  formula.reserve(edges.length / 2 + constraints.length / 2, edges.length / 2 + constraints.length);
  for (let i = 0; i < edges.length; i += 2) formula.clause1(edge(edges[i], edges[i + 1]));
  forEachConstraint(polygraph, (a, b, c, d, exclude) => {
    formula.clause2(edge(a, b), edge(c, d));
    if (xor && exclude) formula.clause2(-edge(a, b), -edge(c, d));
  });
}

/** Pairs of nodes that have a variable. */
export interface Edges {
  readonly edge: EdgeVariable;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export function allPairs(numNodes: number, edge: EdgeVariable): Edges {
  const from = Array.from({ length: numNodes * numNodes }, (_, pair) => Math.floor(pair / numNodes));
  return { edge, from, to: from.map((_, pair) => pair % numNodes) };
}

/** Pairs of nodes that are joined by a known edge or an edge of a constraint. */
export function usedPairs(formula: Formula, polygraph: PolygraphInput): Edges {
  const { from, to, find } = edgesOf(polygraph);
  const first = formula.variables(from.length);
  return { edge: (a, b) => first + find(a, b), from, to };
}
