import type { PolygraphInput } from '@isolab/history';
import { orderOf } from '../../polygraph-edges.ts';
import { Formula } from '../formula/formula.ts';
import type { EncodingOptions, PolygraphEncoding } from './options.ts';
import { type GraphProblem, type Problem, addEdge, emptyGraph } from '../formula/problem.ts';
import { axiom, tc1, tc3 } from './closure.ts';
import { type EdgeVariable, addPolygraph, usedPairs } from './constraints.ts';
import { binaryLabel, unaryLabel } from './labels.ts';

export interface EncodedPolygraph {
  readonly problem: Problem;
  /** The nodes in an order in which all known edges, and one edge of each constraint, lead forward. */
  orderIn(model: Uint8Array): Int32Array;
}

/** Encodes a polygraph as a formula, for `mono` with a graph. Throws Stop beyond its limits. */
export function encodePolygraph(
  polygraph: PolygraphInput,
  encoding: PolygraphEncoding,
  options: EncodingOptions,
  tick: (steps: number) => void = () => {},
): EncodedPolygraph {
  const formula = new Formula(options, tick);
  const done = (edge: EdgeVariable, graph: Problem['graph'] = null): EncodedPolygraph => ({
    problem: { formula, graph },
    orderIn: (model) => orderOf(polygraph, (from, to) => model[edge(from, to)] === 1),
  });
  switch (encoding) {
    case 'tc1':
      return done(tc1(formula, polygraph, options.xor));
    case 'tc3':
      return done(tc3(formula, polygraph, options.xor));
    case 'axiom':
      return done(axiom(formula, polygraph));
    case 'binary-label':
      return done(binaryLabel(formula, polygraph, options));
    case 'unary-label':
      return done(unaryLabel(formula, polygraph, options));
    case 'mono': {
      const { graph, edge } = mono(formula, polygraph, options.xor);
      return done(edge, graph);
    }
  }
}

/** A variable for every possible edge, in a graph that the solver keeps acyclic (in CobraSAT: MonoSAT). */
function mono(
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
