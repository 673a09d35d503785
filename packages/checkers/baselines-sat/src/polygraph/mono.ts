import type { PolygraphInput } from '@isolab/history';
import type { Formula } from '../formula.ts';
import { type GraphProblem, addEdge, emptyGraph } from '../problem.ts';
import { type EdgeVariable, addPolygraph, usedPairs } from './constraints.ts';

/** A variable for every edge that may be there, in a graph that the solver keeps acyclic (in CobraSAT: MonoSAT). */
export function mono(
  formula: Formula,
  polygraph: PolygraphInput,
  xor: boolean,
): { readonly graph: GraphProblem; readonly edge: EdgeVariable } {
  const graph = emptyGraph(polygraph.nodes);
  const { edge, from, to } = usedPairs(formula, polygraph);
  for (let pair = 0; pair < from.length; pair++) addEdge(graph, from[pair], to[pair], edge(from[pair], to[pair]));
  addPolygraph(formula, polygraph, edge, xor);
  return { graph, edge };
}
