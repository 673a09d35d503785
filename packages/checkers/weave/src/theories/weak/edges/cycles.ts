import { type Digraph, EdgeColumns, PathFinder, components } from '@isolab/graph';
import type { Tuning } from '../../../problem/tuning.ts';
import type { IncomingEdges } from './edges.ts';
import type { EdgeFacts } from './facts.ts';

/** A cycle as a list of its transactions, each before the next and the last before the first. */
export type Cycle = readonly number[];

/** Yields short cycles among the transactions that are not placed, one per strongly connected component. */
export function* findCycles(
  facts: EdgeFacts,
  edges: IncomingEdges,
  placed: ArrayLike<number>,
  { rootsTried }: Tuning,
): Generator<Cycle> {
  const graph = predecessors(facts, edges, placed);
  const { count, of, rows } = components(graph);
  const inside = new EdgeColumns();
  for (let t = 0; t < graph.numNodes; t++)
    for (let i = graph.start[t]; i < graph.start[t + 1]; i++)
      if (of[graph.target[i]] === of[t]) inside.add(t, graph.target[i]);
  const paths = new PathFinder(inside.digraph(graph.numNodes));
  for (let c = 0; c < count; c++) {
    let best: number[] | null = null;
    const members = rows.item.subarray(rows.start[c], rows.start[c + 1]);
    for (const root of members.toReversed().subarray(0, rootsTried)) {
      const bound: number = best?.length ?? Infinity;
      best = paths.shortest(root, root, bound) ?? best;
    }
    if (best !== null) yield best.map((edge) => inside.to[edge]).toReversed();
  }
}

/** Returns the graph from each unplaced transaction to those that come before it. */
function predecessors(
  { history, happened, source, previous }: EdgeFacts,
  edges: IncomingEdges,
  placed: ArrayLike<number>,
): Digraph {
  const isLeft = happened.slice();
  for (let i = 0; i < placed.length; i++) isLeft[placed[i]] = 0;
  const graph = new EdgeColumns();
  const latest = new Int32Array(isLeft.length).fill(-1); // for each transaction: the last that it was found to precede
  for (let t = 0; t < isLeft.length; t++) {
    if (isLeft[t] === 0) continue;
    const add = (before: number): void => {
      if (before < 0 || isLeft[before] === 0 || latest[before] === t) return;
      latest[before] = t;
      graph.add(t, before);
    };
    add(previous[t]);
    for (let op = history.txnStart[t]; op < history.txnStart[t + 1]; op++) add(source[op]);
    for (let i = edges.start[t]; i < edges.start[t + 1]; i++) add(edges.from[i]);
  }
  return graph.digraph(isLeft.length);
}
