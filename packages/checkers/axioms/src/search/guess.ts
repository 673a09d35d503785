import { digraphOf } from '@isolab/graph';
import type { History } from '@isolab/history';
import type { LevelFacts } from '../facts/facts.ts';
import type { Points } from '../facts/order.ts';

/**
 * Estimates the time of each point from the times of the history, the place in the file, or the position in the
 * session.
 */
export function urgencies(history: History, facts: LevelFacts, { kind, count }: Points): Float64Array {
  const { initial, called, returned, writes } = facts;
  const commit = new Float64Array(initial);
  const isTimed = called.some((time) => time >= 0) || returned.some((time) => time >= 0);
  const place = isTimed ? null : placesOf(history, facts);
  for (let n = 0; n < initial; n++) {
    commit[n] = place ? place[n] : returned[n] >= 0 ? returned[n] : called[n];
  }
  if (kind === 'events') return eventUrgencies(facts, commit);
  const urgency = new Float64Array(count);
  for (let p = 0; p < count; p++) urgency[p] = commit[kind === 'versions' ? writes.node[p] : p];
  return urgency;
}

/**
 * Begins come as early as possible: right after the commits that they saw and the commits of the versions that they
 * overwrite.
 */
function eventUrgencies({ initial, reads, writes }: LevelFacts, commit: Float64Array): Float64Array {
  const urgency = new Float64Array(2 * initial).fill(-Infinity);
  for (let n = 0; n < initial; n++) urgency[2 * n + 1] = commit[n];
  const after = (n: number, other: number): void => {
    if (other >= 0 && other < initial && other !== n) urgency[2 * n] = Math.max(urgency[2 * n], commit[other]);
  };
  for (let r = 0; r < reads.op.length; r++) after(reads.node[r], reads.writer[r]);
  for (let key = 0; key + 1 < writes.start.length; key++) {
    const writers = writes.node
      .slice(writes.start[key], writes.start[key + 1])
      .toSorted((a, b) => commit[a] - commit[b]);
    for (let i = 1; i < writers.length; i++) after(writers[i], writers[i - 1]);
  }
  return urgency;
}

/** The place in the file if the file interleaves sessions; otherwise the position in the session. */
function placesOf({ txnPosition, source }: History, { initial, txnOf, previous }: LevelFacts): Float64Array {
  const places = new Float64Array(initial);
  let isMixed = source.files.length === 1;
  let isGrouped = true;
  for (let n = 1; n < initial; n++) if (txnPosition[txnOf[n]] < txnPosition[txnOf[n - 1]]) isGrouped = false;
  isMixed &&= !isGrouped;
  for (let n = 0; n < initial; n++)
    places[n] = isMixed ? txnPosition[txnOf[n]] : previous[n] < 0 ? 0 : places[previous[n]] + 1;
  return places;
}

/**
 * The nodes of a graph, each after its predecessors, the most urgent first (Kahn's algorithm with a heap); nodes
 * without an urgency, from some number on, come immediately. Nodes on cycles and after them come last.
 */
export function urgentFirst(numNodes: number, from: Int32Array, to: Int32Array, urgency: Float64Array): Int32Array {
  const { start, target } = digraphOf(numNodes, from, to);
  const missing = new Int32Array(numNodes);
  for (let e = 0; e < to.length; e++) missing[to[e]]++;
  const order = new Int32Array(numNodes);
  const isPlaced = new Uint8Array(numNodes);
  const heap = new Heap(urgency, numNodes);
  let placed = 0;
  for (let node = 0; node < numNodes; node++) if (missing[node] === 0) heap.push(node);
  for (let node = heap.pop(); node >= 0; node = heap.pop()) {
    order[placed++] = node;
    isPlaced[node] = 1;
    for (let i = start[node]; i < start[node + 1]; i++) if (--missing[target[i]] === 0) heap.push(target[i]);
  }
  for (let node = 0; node < numNodes; node++) if (isPlaced[node] === 0) order[placed++] = node;
  return order;
}

class Heap {
  readonly #urgency: Float64Array;
  readonly #items: Int32Array;
  #size = 0;

  constructor(urgency: Float64Array, capacity: number) {
    this.#urgency = urgency;
    this.#items = new Int32Array(capacity);
  }

  #before(a: number, b: number): boolean {
    const u = a < this.#urgency.length ? this.#urgency[a] : -Infinity;
    const v = b < this.#urgency.length ? this.#urgency[b] : -Infinity;
    return u < v || (u === v && a < b);
  }

  push(item: number): void {
    const items = this.#items;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(item, items[parent])) break;
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }

  /** The most urgent item; −1 if there is none. */
  pop(): number {
    if (this.#size === 0) return -1;
    const items = this.#items;
    const first = items[0];
    const last = items[--this.#size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#before(items[child + 1], items[child])) child++;
      if (!this.#before(items[child], last)) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return first;
  }
}
