import type { PolygraphAnswer, RunContext } from '@isolab/contract';
import type { PolygraphInput } from '@isolab/history';
import { Text } from '../z3/text.ts';
import { type Limits, solve } from '../z3/solve.ts';
import { assertPolygraph, declareEdges, edgeName, nameEdges, orderOf } from './edges.ts';
import { linearOrder, topoBitVectors, topoIntegers, transitiveClosure, treeBitVectors } from './encodings.ts';

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
 * Decides whether some choice of an edge for each constraint leaves the polygraph acyclic. Throws Stop beyond its
 * limits.
 */
export async function decidePolygraph(
  polygraph: PolygraphInput,
  encoding: PolygraphEncoding,
  limits: Limits,
  context: RunContext,
): Promise<PolygraphAnswer> {
  context.stage('encode');
  const edges = nameEdges(polygraph);
  const text = new Text((steps) => context.tick(steps));
  declareEdges(text, edges);
  ENCODERS[encoding](text, edges);
  assertPolygraph(text, edges);
  context.count('edges', edges.from.length);
  context.count('commands', text.numLines);
  const answer = await solve(
    { text: text.toString(), wanted: edges.from.map((_, edge) => edgeName(edge)) },
    limits,
    context,
  );
  if (answer.status !== 'satisfiable') return answer;
  const order = orderOf(edges, answer.values);
  if (order === null)
    return { status: 'unknown', reason: 'crashed', detail: 'Z3 gave a model whose edges form a cycle' };
  return { status: 'satisfiable', order };
}
