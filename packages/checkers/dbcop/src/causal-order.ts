import { Stop } from '@isolab/contract';
import type { Adjacency } from '@isolab/graph';

/** (SO ∪ WR)⁺ as rows of bits: row p has a bit for each vertex before position p of a topological order. */
export class CausalOrder {
  readonly #position: Int32Array;
  readonly #rowStart: Float64Array; // first word of each row
  readonly #words: Uint32Array;

  /** `order` puts every vertex after its predecessors. Throws Stop rather than use more than `maxBytes`. */
  constructor(predecessors: Adjacency, order: Int32Array, maxBytes: number, tick: (steps: number) => void) {
    const n = predecessors.numNodes;
    this.#position = new Int32Array(n);
    this.#rowStart = new Float64Array(n + 1);
    for (let p = 0; p < n; p++) {
      this.#position[order[p]] = p;
      this.#rowStart[p + 1] = this.#rowStart[p] + wordsFor(p);
    }
    const bytes = 4 * this.#rowStart[n];
    if (bytes > maxBytes) {
      const detail = `the causal order of ${n} transactions takes ${bytes} bytes, and maxClosureBytes is ${maxBytes}`;
      throw new Stop('memory', detail);
    }
    tick(n);
    this.#words = new Uint32Array(this.#rowStart[n]);
    this.#close(predecessors, order, tick);
  }

  #close({ start, target }: Adjacency, order: Int32Array, tick: (steps: number) => void): void {
    const position = this.#position;
    const rowStart = this.#rowStart;
    const words = this.#words;
    for (let p = 0; p < order.length; p++) {
      const row = rowStart[p];
      let work = 1 + wordsFor(p);
      for (let i = start[order[p]], end = start[order[p] + 1]; i < end; i++) {
        const q = position[target[i]];
        if ((words[row + (q >> 5)] >>> (q & 31)) & 1) continue; // seen through another predecessor, with all it sees
        words[row + (q >> 5)] |= 1 << (q & 31);
        const from = rowStart[q];
        const length = wordsFor(q);
        for (let w = 0; w < length; w++) words[row + w] |= words[from + w];
        work += length;
      }
      tick(work);
    }
  }

  /** Whether `t2` causally precedes `t3`. */
  has(t2: number, t3: number): boolean {
    const q = this.#position[t2];
    const p = this.#position[t3];
    return q < p && ((this.#words[this.#rowStart[p] + (q >> 5)] >>> (q & 31)) & 1) === 1;
  }
}

const wordsFor = (bits: number): number => (bits + 31) >> 5;
