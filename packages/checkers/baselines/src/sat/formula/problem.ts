import type { Formula } from './formula.ts';

/** Input of a solver: a formula, and for solvers that support it a graph that must stay acyclic. */
export interface Problem {
  readonly formula: Formula;
  readonly graph: GraphProblem | null;
}

/** Edges that depend on literals. */
export interface GraphProblem {
  readonly numNodes: number;
  /** If true, edges have weight 0 or 1, and only cycles with at most one edge of weight 1 are forbidden. */
  readonly weighted: boolean;
  readonly from: number[];
  readonly to: number[];
  /** Literal of each edge in DIMACS notation; 0 for an unconditional edge. */
  readonly literal: number[];
  readonly weight: number[];
}

export const emptyGraph = (numNodes: number, weighted = false): GraphProblem => ({
  numNodes,
  weighted,
  from: [],
  to: [],
  literal: [],
  weight: [],
});

export function addEdge(graph: GraphProblem, from: number, to: number, literal = 0, weight: 0 | 1 = 0): void {
  graph.from.push(from);
  graph.to.push(to);
  graph.literal.push(literal);
  graph.weight.push(weight);
}
