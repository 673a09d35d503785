import type { IncomingEdges } from './edges.ts';
import type { EdgeFacts } from './facts.ts';

/**
 * Returns an order of the transactions that happened in which session order, read-from and the given edges point
 * forward. If there is no such order, it is too short, and the missing transactions lie on cycles or after them.
 * A depth-first search starts at the roots in their order and visits the predecessors of every transaction, so no edge
 * has to be reversed.
 */
export function commitOrder(
  { history, happened, source, previous }: EdgeFacts,
  edges: IncomingEdges,
  roots: Int32Array,
): Int32Array {
  const { txnStart } = history;
  const numTxns = happened.length;
  const order = new Int32Array(numTxns);
  let placed = 0;
  const state = new Uint8Array(numTxns); // state of the search: new, on the stack, placed, or on a cycle or after one
  const cursor = new Int32Array(numTxns); // number of visited predecessors of each transaction
  const stack = new Int32Array(numTxns);

  for (let r = 0; r < roots.length; r++) {
    const root = roots[r];
    if (!happened[root] || state[root] !== NEW) continue;
    let depth = 0;
    stack[0] = root;
    state[root] = ON_STACK;
    while (depth >= 0) {
      const t = stack[depth];
      const firstOp = txnStart[t];
      const reads = txnStart[t + 1] - firstOp;
      const firstEdge = edges.start[t];
      const all = 1 + reads + edges.start[t + 1] - firstEdge;
      let next = -1;
      let i = cursor[t];
      while (i < all) {
        const before =
          i === 0 ? previous[t] : i <= reads ? source[firstOp + i - 1] : edges.from[firstEdge + i - 1 - reads];
        i++;
        if (before < 0 || state[before] === PLACED) continue;
        if (state[before] === NEW) {
          next = before;
          break;
        }
        // If the predecessor is on the stack, this is a cycle; otherwise the predecessor is known to come after one.
        state[t] = CYCLIC;
      }
      cursor[t] = i;
      if (next >= 0) {
        if (state[t] !== CYCLIC) state[t] = ON_STACK;
        state[next] = ON_STACK;
        stack[++depth] = next;
        continue;
      }
      depth--;
      if (state[t] === CYCLIC) {
        if (depth >= 0) state[stack[depth]] = CYCLIC;
      } else {
        state[t] = PLACED;
        order[placed++] = t;
      }
    }
  }
  return order.subarray(0, placed);
}

const NEW = 0;
const ON_STACK = 1;
const PLACED = 2;
const CYCLIC = 3;
