import { type Adjacency, components } from '@isolab/graph';

/** What a walk over a graph of predecessors finds. */
export interface Traversal {
  /** All vertices, each after its predecessors where no cycle forbids that. */
  readonly order: Int32Array;
  /** The strongly connected components of more than one vertex; none means that the graph is acyclic. */
  readonly cyclic: readonly Int32Array[];
}

export function strongComponents(predecessors: Adjacency, tick: (steps: number) => void): Traversal {
  const { numNodes, target } = predecessors;
  tick(numNodes + target.length);
  const { count, rows } = components(predecessors);
  const cyclic: Int32Array[] = [];
  for (let c = 0; c < count; c++)
    if (rows.start[c + 1] - rows.start[c] > 1) cyclic.push(rows.item.slice(rows.start[c], rows.start[c + 1]));
  return { order: rows.item, cyclic };
}
