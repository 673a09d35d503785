import type { IncomingEdges } from './edges.ts';
import type { EdgeFacts } from './facts.ts';

/**
 * Returns an order of the transactions that happened in which session order, read-from and the given edges point
 * forward. If there is no such order, it is too short, and the missing transactions lie on cycles or after them.
 * A depth-first search starts at the roots in their order and visits the predecessors of every transaction, so no edge
 * has to be reversed.
 */
export function commitOrder(facts: EdgeFacts, edges: IncomingEdges, roots: Int32Array): Int32Array {
  const walk = new Walk(facts, edges);
  for (let r = 0; r < roots.length; r++) if (facts.happened[roots[r]]) walk.from(roots[r]);
  return walk.order.subarray(0, walk.placed);
}

class Walk {
  readonly order: Int32Array;
  placed = 0;
  readonly #facts: EdgeFacts;
  readonly #edges: IncomingEdges;
  readonly #state: Uint8Array; // of the search: new, on the stack, placed, or on a cycle or after one
  readonly #cursor: Int32Array; // number of visited predecessors of each transaction
  readonly #stack: Int32Array;

  constructor(facts: EdgeFacts, edges: IncomingEdges) {
    const numTxns = facts.happened.length;
    this.#facts = facts;
    this.#edges = edges;
    this.order = new Int32Array(numTxns);
    this.#state = new Uint8Array(numTxns);
    this.#cursor = new Int32Array(numTxns);
    this.#stack = new Int32Array(numTxns);
  }

  from(root: number): void {
    const state = this.#state;
    const stack = this.#stack;
    if (state[root] !== NEW) return;
    let depth = 0;
    stack[0] = root;
    state[root] = ON_STACK;
    while (depth >= 0) {
      const t = stack[depth];
      const next = this.#newBefore(t);
      if (next >= 0) {
        state[next] = ON_STACK;
        stack[++depth] = next;
        continue;
      }
      depth--;
      if (state[t] === CYCLIC) {
        if (depth >= 0) state[stack[depth]] = CYCLIC;
      } else {
        state[t] = PLACED;
        this.order[this.placed++] = t;
      }
    }
  }

  /** Returns the next predecessor that the search has not met yet, or −1. */
  #newBefore(t: number): number {
    const { history, source, previous } = this.#facts;
    const { txnStart } = history;
    const { start, from } = this.#edges;
    const state = this.#state;
    const firstOp = txnStart[t];
    const reads = txnStart[t + 1] - firstOp;
    const firstEdge = start[t];
    const all = 1 + reads + start[t + 1] - firstEdge;
    for (let i = this.#cursor[t]; i < all; i++) {
      const before = i === 0 ? previous[t] : i <= reads ? source[firstOp + i - 1] : from[firstEdge + i - 1 - reads];
      if (before < 0 || state[before] === PLACED) continue;
      if (state[before] === NEW) {
        this.#cursor[t] = i + 1;
        return before;
      }
      // If the predecessor is on the stack, this is a cycle; otherwise the predecessor is known to come after one.
      state[t] = CYCLIC;
    }
    this.#cursor[t] = all;
    return -1;
  }
}

const NEW = 0;
const ON_STACK = 1;
const PLACED = 2;
const CYCLIC = 3;
