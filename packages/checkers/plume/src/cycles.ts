import { type Adjacency, EdgeColumns, cyclicComponents } from '@isolab/graph';
import { type Graph, PathFinder, type Step } from './graph.ts';

/**
 * A short cycle for every component: a shortest one through its first node. CyclicCO (TAP-g) has one instance for each
 * component: the transactions whose vectors are equal (Algorithm 1, line 9).
 */
export function* cycles(graph: Graph): Generator<readonly Step[]> {
  const paths = new PathFinder(graph);
  for (const [first] of cyclicComponents(withSessionOrder(graph))) yield paths.path(first, first)!;
}

/** The graph with session order as edges. */
function withSessionOrder({ numNodes, session, outStart, outTarget }: Graph): Adjacency {
  const edges = new EdgeColumns(numNodes + outTarget.length);
  for (let v = 0; v < numNodes; v++) {
    if (v + 1 < numNodes && session[v + 1] === session[v]) edges.add(v, v + 1);
    for (let e = outStart[v]; e < outStart[v + 1]; e++) edges.add(v, outTarget[e]);
  }
  return edges.digraph(numNodes);
}
