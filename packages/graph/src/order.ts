import type { Adjacency } from './digraph.ts';

/**
 * The nodes in an order in which every edge leads forward (Kahn's, first in, first out); shorter than there are nodes if
 * there is none: those on cycles and behind them are missing.
 */
export function topologicalOrder({ numNodes, start, target }: Adjacency): Int32Array {
  const missing = new Int32Array(numNodes); // predecessors that are not placed
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

/** The place of every node in an order; −1 for those that are not in it. */
export function positions(order: Int32Array, numNodes: number): Int32Array {
  const position = new Int32Array(numNodes).fill(-1);
  for (let i = 0; i < order.length; i++) position[order[i]] = i;
  return position;
}
