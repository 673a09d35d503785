import type { Adjacency } from './digraph.ts';
import type { Rows } from './rows.ts';

export interface Components {
  readonly count: number;
  /** Component of every node. An edge from one component to another leads to a smaller number. */
  readonly of: Int32Array;
  /** Nodes of each component, in the order in which they were visited. */
  readonly rows: Rows;
}

/** Finds strongly connected components with Tarjan's algorithm (1972), using explicit stacks. */
export function components({ numNodes, start, target }: Adjacency): Components {
  const of = new Int32Array(numNodes).fill(-1);
  const index = new Int32Array(numNodes); // 0: not visited yet
  const low = new Int32Array(numNodes);
  const cursor = start.slice(0, numNodes);
  const path = new Int32Array(numNodes); // nodes being visited, from the root
  const open = new Int32Array(numNodes); // Tarjan's stack: visited, but not in a component yet
  const rowStart = new Int32Array(numNodes + 1);
  const item = new Int32Array(numNodes);
  let numOpen = 0;
  let count = 0;
  let met = 0;
  let placed = 0;
  for (let root = 0; root < numNodes; root++) {
    if (index[root] !== 0) continue;
    let depth = 0;
    path[0] = root;
    index[root] = low[root] = ++met;
    open[numOpen++] = root;
    while (depth >= 0) {
      const node = path[depth];
      if (cursor[node] < start[node + 1]) {
        const next = target[cursor[node]++];
        if (index[next] === 0) {
          index[next] = low[next] = ++met;
          open[numOpen++] = next;
          path[++depth] = next;
        } else if (of[next] < 0 && index[next] < low[node]) {
          low[node] = index[next];
        }
        continue;
      }
      depth--;
      if (depth >= 0 && low[node] < low[path[depth]]) low[path[depth]] = low[node];
      if (low[node] !== index[node]) continue;
      const end = numOpen;
      do of[open[--numOpen]] = count;
      while (open[numOpen] !== node);
      for (let i = numOpen; i < end; i++) item[placed++] = open[i];
      rowStart[++count] = placed;
    }
  }
  return { count, of, rows: { start: rowStart.subarray(0, count + 1), item } };
}

/** Returns the components that contain a cycle, in the order of their least nodes; the nodes of each ascend. */
export function cyclicComponents(graph: Adjacency): number[][] {
  const { count, rows } = components(graph);
  const cyclic: number[][] = [];
  for (let c = 0; c < count; c++) {
    const first = rows.start[c];
    const end = rows.start[c + 1];
    if (end - first === 1 && !hasLoop(graph, rows.item[first])) continue;
    cyclic.push(Array.from(rows.item.subarray(first, end)).toSorted((a, b) => a - b));
  }
  return cyclic.toSorted((a, b) => a[0] - b[0]);
}

function hasLoop({ start, target }: Adjacency, node: number): boolean {
  for (let i = start[node]; i < start[node + 1]; i++) if (target[i] === node) return true;
  return false;
}
