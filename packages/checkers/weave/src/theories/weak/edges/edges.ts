import { EdgeColumns, IntList, digraphOf } from '@isolab/graph';

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
  readonly #edges = new EdgeColumns(INITIAL_CAPACITY);
  readonly #read = new IntList(INITIAL_CAPACITY);
  /** First edge to the initial transaction, if any: from, read. */
  readonly toInitial: { from: number; read: number }[] = [];

  get count(): number {
    return this.#edges.count;
  }

  readonly emit: EmitEdge = (from, to, read) => {
    if (to < 0) {
      this.toInitial.push({ from, read });
      return;
    }
    this.#edges.add(from, to);
    this.#read.push(read);
  };

  /** Returns a read that requires an edge between two transactions; −1 if it was not recorded. */
  readFor(from: number, to: number): number {
    const { from: froms, to: tos, count } = this.#edges;
    const { items } = this.#read;
    for (let edge = 0; edge < count; edge++)
      if (froms[edge] === from && tos[edge] === to && items[edge] >= 0) return items[edge];
    return -1;
  }

  incoming(numTxns: number): IncomingEdges {
    const { from, to, count } = this.#edges;
    const { start, target } = digraphOf(numTxns, to, from, count);
    return { start, from: target };
  }
}

export const noEdges = (numTxns: number): IncomingEdges => ({
  start: new Int32Array(numTxns + 1),
  from: new Int32Array(0),
});

const INITIAL_CAPACITY = 1024;
