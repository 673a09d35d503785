import { type Csr, countVertices } from './csr.ts';
import { IntList } from './int-list.ts';

/** What a walk over a graph of predecessors finds. */
export interface Traversal {
  /** All vertices, each after its predecessors where no cycle forbids that. */
  readonly order: Int32Array;
  /** The strongly connected components of more than one vertex; none means that the graph is acyclic. */
  readonly cyclic: readonly Int32Array[];
}

/** Tarjan's algorithm (1972) with an explicit stack. */
export function strongComponents(predecessors: Csr, tick: (steps: number) => void): Traversal {
  const { start, target } = predecessors;
  const n = countVertices(predecessors);
  const order = new Int32Array(n);
  const cyclic: Int32Array[] = [];
  const index = new Int32Array(n); // order of discovery, from 1; 0 for vertices not yet seen
  const low = new Int32Array(n);
  const cursor = start.slice(0, n);
  const done = new Uint8Array(n);
  const path = new IntList(); // the vertices being visited
  const open = new Int32Array(n); // those whose component is not complete
  let numOpen = 0;
  let numSeen = 0;
  let placed = 0;

  const enter = (v: number): void => {
    index[v] = low[v] = ++numSeen;
    open[numOpen++] = v;
    path.push(v);
    tick(start[v + 1] - start[v] + 1);
  };
  for (let root = 0; root < n; root++) {
    if (index[root] !== 0) continue;
    enter(root);
    while (path.length > 0) {
      const v = path.at(path.length - 1);
      if (cursor[v] < start[v + 1]) {
        const w = target[cursor[v]++];
        if (index[w] === 0) enter(w);
        else if (done[w] === 0 && index[w] < low[v]) low[v] = index[w];
        continue;
      }
      path.length--;
      if (path.length > 0) {
        const parent = path.at(path.length - 1);
        if (low[v] < low[parent]) low[parent] = low[v];
      }
      if (low[v] !== index[v]) continue;
      const from = open.lastIndexOf(v, numOpen - 1);
      const component = open.subarray(from, numOpen);
      for (const w of component) {
        done[w] = 1;
        order[placed++] = w;
      }
      if (component.length > 1) cyclic.push(component.slice());
      numOpen = from;
    }
  }
  return { order, cyclic };
}
