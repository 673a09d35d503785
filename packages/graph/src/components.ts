import type { Digraph } from './digraph.ts';

export interface Components {
  readonly count: number;
  /** The component of every node; if an edge leads from one component to another, its number is the greater one. */
  readonly of: Int32Array;
}

/** Tarjan's strongly connected components, with explicit stacks. */
export function components({ numNodes, start, target }: Digraph): Components {
  const of = new Int32Array(numNodes).fill(-1);
  const index = new Int32Array(numNodes); // 0: not met yet
  const low = new Int32Array(numNodes);
  const cursor = start.slice(0, numNodes);
  const path = new Int32Array(numNodes); // the nodes being visited, from the root
  const open = new Int32Array(numNodes); // Tarjan's stack: met, and not yet in a component
  let numOpen = 0;
  let count = 0;
  let met = 0;
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
      let member: number;
      do {
        member = open[--numOpen];
        of[member] = count;
      } while (member !== node);
      count++;
    }
  }
  return { count, of };
}

/** The components that contain a cycle, each as its nodes in ascending order, in the order of their least nodes. */
export function cyclicComponents(graph: Digraph, found: Components = components(graph)): number[][] {
  const isCyclic = new Uint8Array(found.count);
  const hasMember = new Uint8Array(found.count);
  for (let n = 0; n < graph.numNodes; n++) {
    const component = found.of[n];
    if (hasMember[component]) isCyclic[component] = 1;
    hasMember[component] = 1;
    for (let i = graph.start[n]; i < graph.start[n + 1]; i++) if (graph.target[i] === n) isCyclic[component] = 1;
  }
  const members = new Map<number, number[]>();
  for (let n = 0; n < graph.numNodes; n++) {
    const component = found.of[n];
    if (!isCyclic[component]) continue;
    const row = members.get(component);
    if (row) row.push(n);
    else members.set(component, [n]);
  }
  return [...members.values()];
}
