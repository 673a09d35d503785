import type { Adjacency } from './digraph.ts';

/** A square matrix of bits, stored row by row. */
export class BitMatrix {
  readonly size: number;
  /** Words per row. */
  readonly width: number;
  readonly words: Int32Array;

  constructor(size: number) {
    this.size = size;
    this.width = (size + 31) >>> 5;
    this.words = new Int32Array(size * this.width);
  }

  has(row: number, column: number): boolean {
    return ((this.words[row * this.width + (column >>> 5)] >>> (column & 31)) & 1) === 1;
  }

  add(row: number, column: number): void {
    this.words[row * this.width + (column >>> 5)] |= 1 << (column & 31);
  }

  join(into: number, row: number): void {
    const { words, width } = this;
    const end = (into + 1) * width;
    for (let i = into * width, j = row * width; i < end; i++, j++) words[i] |= words[j];
  }
}

/** Returns the nodes that each node reaches, as rows of bits that are joined backwards along a topological order. */
export function closure({ numNodes, start, target }: Adjacency, order: Int32Array): BitMatrix {
  const reach = new BitMatrix(numNodes);
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at];
    for (let i = start[node]; i < start[node + 1]; i++) {
      if (reach.has(node, target[i])) continue;
      reach.join(node, target[i]);
      reach.add(node, target[i]);
    }
  }
  return reach;
}
