import { grown } from './int-list.ts';
import { rowStarts } from './rows.ts';

/** A directed graph in rows: the successors of node `n` are `target[start[n]]` … `target[start[n + 1] - 1]`. */
export interface Adjacency {
  readonly numNodes: number;
  /** Start of each node's row, with one extra slot. */
  readonly start: Int32Array;
  readonly target: Int32Array;
}

/** A graph whose edges have numbers (`edge`, beside `target`), for columns of facts about them. */
export interface Digraph extends Adjacency {
  readonly edge: Int32Array;
}

/** Builds a graph from the first `count` edges of two columns; edges keep their order within a row. */
export function digraphOf(
  numNodes: number,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  count: number = from.length,
): Digraph {
  const start = rowStarts(from, numNodes, count);
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

export function reversed({ numNodes, start, target, edge }: Digraph): Digraph {
  const from = new Int32Array(target.length);
  for (let n = 0; n < numNodes; n++) from.fill(n, start[n], start[n + 1]);
  const turned = digraphOf(numNodes, target, from);
  return { ...turned, edge: turned.edge.map((place) => edge[place]) };
}

/** Edges in the order in which they are found, before they are grouped by source. */
export class EdgeColumns {
  from: Int32Array;
  to: Int32Array;
  count = 0;

  constructor(capacity: number = 64) {
    this.from = new Int32Array(capacity);
    this.to = new Int32Array(capacity);
  }

  add(from: number, to: number): number {
    const e = this.count++;
    if (e === this.from.length) {
      this.from = grown(this.from, this.count);
      this.to = grown(this.to, this.count);
    }
    this.from[e] = from;
    this.to[e] = to;
    return e;
  }

  digraph(numNodes: number): Digraph {
    return digraphOf(numNodes, this.from, this.to, this.count);
  }
}
