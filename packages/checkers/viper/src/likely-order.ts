import type { Digraph } from '@isolab/graph';
import type { History } from '@isolab/history';
import type { BeginCommitPolygraph } from '@isolab/polygraph';
import { addSessionEdges } from './levels.ts';

/** An order of all nodes in which the known edges point forward (ŝ in section 3.5). */
export interface LikelyOrder {
  /** Nodes of transactions that happened, and nodes that are not events. */
  readonly nodes: Int32Array;
  /** Place of each event among the events. */
  readonly rank: Int32Array;
  readonly numEvents: number;
}

/** Sorts the known graph breadth-first, then by places in sessions (section 6); null if it has a cycle. */
export function likelyOrder(
  history: History,
  polygraph: BeginCommitPolygraph,
  hasSessions: boolean,
): LikelyOrder | null {
  const { edges } = polygraph;
  if (hasSessions) return byLayers(history, polygraph, edges.digraph(polygraph.numNodes));
  const { columns } = edges;
  const known = columns.count;
  addSessionEdges(history, polygraph);
  const graph = edges.digraph(polygraph.numNodes);
  columns.count = known;
  return byLayers(history, polygraph, graph) ?? byLayers(history, polygraph, edges.digraph(polygraph.numNodes));
}

function byLayers(
  { sessionStart, txnSession }: History,
  { versions, numNodes }: BeginCommitPolygraph,
  { start, target }: Digraph,
): LikelyOrder | null {
  const { numTxns, happened } = versions;
  const numTxnNodes = 2 * numTxns;
  const missing = new Int32Array(numNodes); // number of unplaced predecessors
  for (let i = 0; i < target.length; i++) missing[target[i]]++;
  const nodes = new Int32Array(numNodes);
  const rank = new Int32Array(numTxnNodes).fill(-1);
  let placed = 0;
  let numEvents = 0;
  let left = 0; // nodes of transactions that did not happen
  let layer: number[] = [];
  const gathering: number[] = []; // anchors and nodes of time lines, which form no layer of their own
  for (let node = 0; node < numNodes; node++) {
    if (node < numTxnNodes && happened[node >> 1] === 0) left++;
    else if (missing[node] === 0) layer.push(node);
  }
  const placeInSession = (node: number): number =>
    node < numTxnNodes ? (node >> 1) - sessionStart[txnSession[node >> 1]] : -1;
  while (layer.length > 0) {
    layer.sort((a, b) => placeInSession(a) - placeInSession(b) || a - b);
    const next: number[] = [];
    for (const event of layer) {
      gathering.push(event);
      for (let node = gathering.pop(); node !== undefined; node = gathering.pop()) {
        nodes[placed++] = node;
        if (node < numTxnNodes) rank[node] = numEvents++;
        for (let i = start[node]; i < start[node + 1]; i++) {
          const successor = target[i];
          if (--missing[successor] > 0) continue;
          if (successor < numTxnNodes) next.push(successor);
          else gathering.push(successor);
        }
      }
    }
    layer = next;
  }
  return placed + left < numNodes ? null : { nodes: nodes.subarray(0, placed), rank, numEvents };
}
