import { type Adjacency, type Digraph, positions, renumbered } from '@isolab/graph';

/** Reachability between nodes of an acyclic graph, by at least one edge. */
export interface Reachability {
  has(from: number, to: number): boolean;
}

/**
 * Reachability as rows of bits along a topological order, where Cobra squares a matrix on a GPU. The row of the node at
 * position p has a bit for every later position: half a matrix, n²/16 bytes. Rows are joined backwards along the order,
 * near successors first, because an edge whose target is already in the row adds nothing.
 */
export class BitRows implements Reachability {
  readonly order: Int32Array;
  readonly #position: Int32Array;
  readonly #width: number; // words per complete row; row p lacks the first p >> 5
  readonly #rowStart: Float64Array;
  readonly #words: Int32Array;

  constructor(graph: Digraph, order: Int32Array, tick: (steps: number) => void) {
    const n = graph.numNodes;
    this.order = order;
    this.#width = (n + 31) >>> 5;
    this.#position = positions(order, n);
    this.#rowStart = new Float64Array(n + 1);
    for (let p = 0; p < n; p++) this.#rowStart[p + 1] = this.#rowStart[p] + this.#width - (p >>> 5);
    tick(n);
    this.#words = new Int32Array(this.#rowStart[n]);
    this.#close(renumbered(graph, order), tick);
  }

  static bytesFor(numNodes: number): number {
    return (numNodes * numNodes) / 16;
  }

  #close({ start, target }: Adjacency, tick: (steps: number) => void): void {
    const words = this.#words;
    const rowStart = this.#rowStart;
    for (let p = this.order.length - 1; p >= 0; p--) {
      // Word w of a complete row is word row + w of the column.
      const row = rowStart[p] - (p >>> 5);
      let work = 1;
      for (let i = start[p]; i < start[p + 1]; i++) {
        const q = target[i];
        const word = row + (q >>> 5);
        const bit = 1 << (q & 31);
        if ((words[word] & bit) !== 0) continue;
        words[word] |= bit;
        const end = rowStart[q + 1];
        for (let from = rowStart[q], into = word; from < end; from++, into++) words[into] |= words[from];
        work += end - rowStart[q];
      }
      tick(work);
    }
  }

  has(from: number, to: number): boolean {
    const p = this.#position[from];
    const q = this.#position[to];
    if (p >= q) return false;
    return ((this.#words[this.#rowStart[p] + (q >>> 5) - (p >>> 5)] >>> (q & 31)) & 1) !== 0;
  }

  /** Emits the transitive reduction of the reachability between `kept` nodes. */
  reduced(kept: Uint8Array, emit: (from: number, to: number) => void, tick: (steps: number) => void): void {
    const { order } = this;
    const mask = new Int32Array(this.#width);
    for (let p = 0; p < order.length; p++) if (kept[order[p]]) mask[p >>> 5] |= 1 << (p & 31);
    const words = this.#words;
    const rest = new Int32Array(this.#width);
    for (let p = 0; p < order.length; p++) {
      if (!kept[order[p]]) continue;
      const first = p >>> 5;
      const row = this.#rowStart[p] - first;
      for (let w = first; w < this.#width; w++) rest[w] = words[row + w] & mask[w];
      let work = this.#width - first;
      for (let w = first; w < this.#width; w++) {
        while (rest[w] !== 0) {
          const q = (w << 5) + (31 - Math.clz32(rest[w] & -rest[w]));
          emit(order[p], order[q]);
          rest[w] &= rest[w] - 1;
          const reached = this.#rowStart[q] - w;
          for (let v = w; v < this.#width; v++) rest[v] &= ~words[reached + v];
          work += this.#width - w;
        }
      }
      tick(work);
    }
  }
}
