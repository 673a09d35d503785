import type { Adjacency, Digraph } from './digraph.ts';
import { prefixSums } from './rows.ts';

/**
 * Returns the nodes in topological order (Kahn's algorithm, first in, first out), except nodes on cycles and after
 * them.
 */
export function topologicalOrder({ numNodes, start, target }: Adjacency): Int32Array {
  const missing = new Int32Array(numNodes); // number of predecessors without a place
  for (let i = 0; i < target.length; i++) missing[target[i]]++;
  const order = new Int32Array(numNodes);
  let placed = 0;
  for (let n = 0; n < numNodes; n++) if (missing[n] === 0) order[placed++] = n;
  for (let at = 0; at < placed; at++) {
    const node = order[at];
    for (let i = start[node]; i < start[node + 1]; i++) if (--missing[target[i]] === 0) order[placed++] = target[i];
  }
  return order.subarray(0, placed);
}

/** Returns the place of every node in an order; −1 for nodes outside it. */
export function positions(order: Int32Array, numNodes: number): Int32Array {
  const position = new Int32Array(numNodes).fill(-1);
  for (let i = 0; i < order.length; i++) position[order[i]] = i;
  return position;
}

/** Renumbers a graph by an order of its nodes, with every row ascending (a radix sort of the edges). */
export function renumbered({ numNodes, start, target, edge }: Digraph, order: Int32Array): Digraph {
  const position = positions(order, numNodes);
  const incoming = new Int32Array(numNodes + 1); // by the target's position
  for (let i = 0; i < target.length; i++) incoming[position[target[i]] + 1]++;
  const cursor = prefixSums(incoming).slice(0, numNodes);
  const rowStart = new Int32Array(numNodes + 1);
  const source = new Int32Array(target.length);
  const number = new Int32Array(target.length);
  for (let p = 0; p < numNodes; p++) {
    const node = order[p];
    rowStart[p + 1] = rowStart[p] + start[node + 1] - start[node];
    for (let i = start[node]; i < start[node + 1]; i++) {
      const place = cursor[position[target[i]]]++;
      source[place] = p;
      number[place] = edge[i];
    }
  }
  const place = rowStart.slice(0, numNodes);
  const sorted = {
    numNodes,
    start: rowStart,
    target: new Int32Array(target.length),
    edge: new Int32Array(edge.length),
  };
  for (let q = 0; q < numNodes; q++) {
    for (let i = incoming[q]; i < incoming[q + 1]; i++) {
      const at = place[source[i]]++;
      sorted.target[at] = q;
      sorted.edge[at] = number[i];
    }
  }
  return sorted;
}
