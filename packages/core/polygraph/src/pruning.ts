import { type Digraph, topologicalOrder } from '@isolab/graph';
import { Known } from './known-graph.ts';
import { Decision, type Polygraph } from './polygraph.ts';
import { BitRows, type Reachability } from './reachability.ts';

export interface PruneOptions {
  /** Maximal number of times that reachability is computed; 0: as long as it decides something. */
  readonly rounds: number;
  readonly tick: (steps: number) => void;
  /** Computes reachability along a topological order: with rows of bits on the CPU, where Cobra uses a GPU. */
  readonly close?: (graph: Digraph, order: Int32Array) => Reachability | Promise<Reachability>;
}

/**
 * Prunes constraints as in Cobra: an edge that would close a cycle with known edges is impossible, so the other side of
 * its constraint holds and becomes known. If both sides are impossible, the known graph becomes cyclic.
 * The published code also decides for a side with an already implied edge. In polygraphs of histories, the other side
 * then closes a cycle, so nothing is lost. Returns the number of rounds.
 */
export async function prune(
  polygraph: Polygraph,
  { rounds, tick, close = (graph, order) => new BitRows(graph, order, tick) }: PruneOptions,
): Promise<number> {
  const { known, constraints, numNodes } = polygraph;
  let round = 0;
  let open = constraints.countOpen();
  const limit = rounds === 0 ? Infinity : rounds;
  while (open > 0 && round < limit) {
    const graph = known.ends.digraph(numNodes);
    const order = topologicalOrder(graph);
    if (order.length < numNodes) break;
    const reach = await close(graph, order);
    round++;
    const decided = pruneOnce(polygraph, reach, tick);
    if (decided === 0) break;
    open -= decided;
  }
  return round;
}

function pruneOnce(polygraph: Polygraph, reach: Reachability, tick: (steps: number) => void): number {
  const { known, constraints } = polygraph;
  const { decision, refuted, refutedAt } = constraints;
  const limit = known.count;
  let decided = 0;
  for (let c = 0; c < constraints.count; c++) {
    if (decision.items[c] !== Decision.Open) continue;
    const either = impossibleEdge(polygraph, reach, c, 0);
    const or = either >= 0 ? -1 : impossibleEdge(polygraph, reach, c, 1);
    tick(1);
    if (either < 0 && or < 0) continue;
    decision.items[c] = either < 0 ? Decision.Either : Decision.Or;
    refuted.items[c] = either < 0 ? or : either;
    refutedAt.items[c] = limit;
    addSide(polygraph, c, either < 0 ? 0 : 1);
    decided++;
  }
  return decided;
}

/** Returns an edge of a side that would close a cycle, or −1. */
function impossibleEdge({ constraints }: Polygraph, reach: Reachability, c: number, side: number): number {
  const from = constraints.from.items;
  const to = constraints.to.items;
  const start = constraints.start;
  for (let e = start[2 * c + side], end = start[2 * c + side + 1]; e < end; e++)
    if (from[e] === to[e] || reach.has(to[e], from[e])) return e;
  return -1;
}

function addSide({ known, constraints }: Polygraph, c: number, side: number): void {
  const { from, to, read, start } = constraints;
  for (let e = start[2 * c + side], end = start[2 * c + side + 1]; e < end; e++) {
    const kind = read.items[e] < 0 ? Known.Written : Known.Overwritten;
    known.add(from.items[e], to.items[e], kind, read.items[e], -1, c);
  }
}
