/**
 * Receives an edge of the commit order that a level's axiom requires: `from` must come before `to`, because `read`
 * reads from `to` a key that `from` writes, and `from` is visible to the reader. An edge to the initial transaction is
 * a violation.
 */
export type EmitEdge = (from: number, to: number, read: number) => void;

export interface IncomingEdges {
  readonly start: Int32Array;
  readonly from: Int32Array;
}

/** Collects edges, first in a list, then by target. Edges to the initial transaction are kept apart. */
export class EdgeList {
  #count = 0;
  #from = new Int32Array(INITIAL_CAPACITY);
  #to = new Int32Array(INITIAL_CAPACITY);
  #read = new Int32Array(INITIAL_CAPACITY);
  /** First edge to the initial transaction, if any: from, read. */
  readonly toInitial: { from: number; read: number }[] = [];

  get count(): number {
    return this.#count;
  }

  readonly emit: EmitEdge = (from, to, read) => {
    if (to < 0) {
      this.toInitial.push({ from, read });
      return;
    }
    const edge = this.#count++;
    if (edge === this.#from.length) this.#grow();
    this.#from[edge] = from;
    this.#to[edge] = to;
    this.#read[edge] = read;
  };

  /** Returns a read that requires an edge between two transactions; −1 if it was not recorded. */
  readFor(from: number, to: number): number {
    for (let edge = 0; edge < this.#count; edge++) {
      if (this.#from[edge] === from && this.#to[edge] === to && this.#read[edge] >= 0) return this.#read[edge];
    }
    return -1;
  }

  incoming(numTxns: number): IncomingEdges {
    const start = new Int32Array(numTxns + 1);
    for (let edge = 0; edge < this.#count; edge++) start[this.#to[edge] + 1]++;
    for (let t = 0; t < numTxns; t++) start[t + 1] += start[t];
    const cursor = start.slice(0, numTxns);
    const from = new Int32Array(this.#count);
    for (let edge = 0; edge < this.#count; edge++) from[cursor[this.#to[edge]]++] = this.#from[edge];
    return { start, from };
  }

  #grow(): void {
    this.#from = doubled(this.#from);
    this.#to = doubled(this.#to);
    this.#read = doubled(this.#read);
  }
}

function doubled(column: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * column.length);
  larger.set(column);
  return larger;
}

export const noEdges = (numTxns: number): IncomingEdges => ({
  start: new Int32Array(numTxns + 1),
  from: new Int32Array(0),
});

const INITIAL_CAPACITY = 1024;
