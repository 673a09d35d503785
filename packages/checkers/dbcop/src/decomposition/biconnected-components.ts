import { type Adjacency, IntList } from '@isolab/graph';

/**
 * The biconnected components as sets of vertices; two components share at most one vertex. A lone vertex is a
 * component.
 */
export interface BiconnectedComponents {
  /** The vertices of component c are vertex[start[c]] … vertex[start[c + 1] − 1]. */
  readonly start: Int32Array;
  readonly vertex: Int32Array;
  /** A component of every vertex: the component of the edge to its parent in the search, if it has a parent. */
  readonly home: Int32Array;
  /** Time at which the search discovered each vertex. */
  readonly discovery: Int32Array;
}

export const countComponents = ({ start }: BiconnectedComponents): number => start.length - 1;

export function componentOfEdge({ home, discovery }: BiconnectedComponents, u: number, v: number): number {
  // One end of an edge is an ancestor of the other, and the edge lies on a cycle with the path up from the lower end.
  return discovery[u] > discovery[v] ? home[u] : home[v];
}

/** Hopcroft & Tarjan's algorithm (1973) with an explicit stack. The graph has every edge in both directions. */
export function biconnectedComponents(graph: Adjacency): BiconnectedComponents {
  const { numNodes: n, start: first, target } = graph;
  const start = new IntList();
  const vertex = new IntList();
  const home = new Int32Array(n).fill(-1);
  const discovery = new Int32Array(n).fill(-1);
  const low = new Int32Array(n);
  const parent = new Int32Array(n).fill(-1);
  const cursor = first.slice(0, n);
  const open = new IntList(); // vertices whose home is still unknown
  let clock = 0;
  start.push(0);

  const close = (top: number, child: number): void => {
    const component = start.length - 1;
    let v: number;
    do {
      v = open.items[--open.length];
      home[v] = component;
      vertex.push(v);
    } while (v !== child);
    if (parent[top] < 0) home[top] = component;
    vertex.push(top);
    start.push(vertex.length);
  };

  for (let root = 0; root < n; root++) {
    if (discovery[root] >= 0) continue;
    discovery[root] = low[root] = clock++;
    if (first[root] === first[root + 1]) {
      home[root] = start.length - 1;
      vertex.push(root);
      start.push(vertex.length);
    }
    for (let v = root; v >= 0;) {
      if (cursor[v] < first[v + 1]) {
        const w = target[cursor[v]++];
        if (discovery[w] >= 0) {
          if (discovery[w] < low[v]) low[v] = discovery[w];
          continue;
        }
        parent[w] = v;
        discovery[w] = low[w] = clock++;
        open.push(w);
        v = w;
      } else {
        const up = parent[v];
        if (up >= 0) {
          if (low[v] < low[up]) low[up] = low[v];
          // No vertex at or below v has an edge to a vertex above `up`, so removing `up` would separate them.
          if (low[v] >= discovery[up]) close(up, v);
        }
        v = up;
      }
    }
  }
  return { start: start.toArray(), vertex: vertex.toArray(), home, discovery };
}
