/**
 * A directed graph in rows: the edges that leave a node lie side by side. `edge` says, for every place in the rows, which
 * of the edges that were given it is, so that whatever is known about an edge can be kept in columns beside them.
 */
export interface Digraph {
  readonly numNodes: number;
  /** Where each node's row begins, with one extra slot. */
  readonly start: Int32Array;
  readonly target: Int32Array;
  readonly edge: Int32Array;
}

/** The first `count` edges of two columns, by their source; within a row they keep their order. */
export function digraphOf(
  numNodes: number,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  count: number = from.length,
): Digraph {
  const start = new Int32Array(numNodes + 1);
  for (let e = 0; e < count; e++) start[from[e] + 1]++;
  for (let n = 0; n < numNodes; n++) start[n + 1] += start[n];
  const cursor = start.slice(0, numNodes);
  const target = new Int32Array(count);
  const edge = new Int32Array(count);
  for (let e = 0; e < count; e++) {
    const place = cursor[from[e]]++;
    target[place] = to[e];
    edge[place] = e;
  }
  return { numNodes, start, target, edge };
}

/** The same edges, each turned around. */
export function reversed({ numNodes, start, target, edge }: Digraph): Digraph {
  const from = new Int32Array(target.length);
  for (let n = 0; n < numNodes; n++) from.fill(n, start[n], start[n + 1]);
  const turned = digraphOf(numNodes, target, from);
  return { ...turned, edge: turned.edge.map((place) => edge[place]) };
}

/** Edges as they are found, before they are put in rows. */
export class EdgeColumns {
  from: Int32Array;
  to: Int32Array;
  count = 0;

  constructor(capacity: number = 1024) {
    this.from = new Int32Array(capacity);
    this.to = new Int32Array(capacity);
  }

  /** Adds an edge and returns its number. */
  add(from: number, to: number): number {
    const e = this.count++;
    if (e === this.from.length) {
      this.from = doubled(this.from);
      this.to = doubled(this.to);
    }
    this.from[e] = from;
    this.to[e] = to;
    return e;
  }

  digraph(numNodes: number): Digraph {
    return digraphOf(numNodes, this.from, this.to, this.count);
  }
}

function doubled(column: Int32Array): Int32Array {
  const larger = new Int32Array(2 * column.length + 1);
  larger.set(column);
  return larger;
}
