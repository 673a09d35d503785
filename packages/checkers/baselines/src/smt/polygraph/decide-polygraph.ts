import type { PolygraphAnswer, RunContext } from '@isolab/contract';
import type { PolygraphInput } from '@isolab/history';
import { edgesOf, forEachConstraint, orderOf } from '../../polygraph-edges.ts';
import { Text } from '../../text.ts';
import { type Limits, solve } from '../z3/solve.ts';
import { edgeName, linearOrder, topoBitVectors, topoIntegers, transitiveClosure, treeBitVectors } from './encodings.ts';

export const POLYGRAPH_ENCODINGS = ['linear-order', 'topo-bv', 'topo-int', 'tree-bv', 'tc'] as const;
export type PolygraphEncoding = (typeof POLYGRAPH_ENCODINGS)[number];

const ENCODERS = {
  'linear-order': linearOrder,
  'topo-bv': topoBitVectors,
  'topo-int': topoIntegers,
  'tree-bv': treeBitVectors,
  tc: transitiveClosure,
} as const;

/**
 * Decides whether some choice of one edge per constraint leaves the polygraph acyclic. Throws Stop beyond its limits.
 */
export async function decidePolygraph(
  polygraph: PolygraphInput,
  encoding: PolygraphEncoding,
  limits: Limits,
  context: RunContext,
): Promise<PolygraphAnswer> {
  context.stage('encode');
  const edges = edgesOf(polygraph);
  const text = new Text((steps) => context.tick(steps));
  for (let edge = 0; edge < edges.from.length; edge++) text.add(`(declare-const ${edgeName(edge)} Bool)`);
  ENCODERS[encoding](text, polygraph.nodes, edges);
  for (let edge = 0; edge < edges.numKnown; edge++) text.assert(edgeName(edge));
  forEachConstraint(polygraph, (a, b, c, d, exclude) =>
    text.assert(`(${exclude ? 'xor' : 'or'} ${edgeName(edges.find(a, b))} ${edgeName(edges.find(c, d))})`),
  );
  context.count('edges', edges.from.length);
  context.count('commands', text.numLines);
  const wanted = edges.from.map((_, edge) => edgeName(edge));
  const answer = await solve({ text: text.toString(), wanted }, limits, context);
  if (answer.status !== 'satisfiable') return answer;
  const order = orderOf(polygraph, (from, to) => answer.values[edges.find(from, to)] === 1);
  return { status: 'satisfiable', order };
}
