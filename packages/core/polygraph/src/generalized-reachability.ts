import { type Digraph, digraphOf, renumbered, topologicalOrder } from '@isolab/graph';
import { type Dependencies, DependencyType } from './generalized-dependencies.ts';

/**
 * The induced graph Dep ∪ (Dep ; AntiDep) without its composed edges: every node is split in two, one that edges of Dep
 * enter and from which anti-dependencies leave, and one after it, which anti-dependencies enter and from which edges of
 * Dep leave. The first precedes the successors of a transaction's begin, the second those of its commit; and two
 * adjacent anti-dependencies, which the induced graph does not compose, do not meet.
 */
export const beginEvent = (node: number): number => 2 * node;
export const commitEvent = (node: number): number => 2 * node + 1;

/** Reachability between events of an acyclic graph, in memory of one shape or another. */
export interface EventClosure {
  /** Closes a graph of positions in an order of all events. Returns its edges that no others imply, by their numbers. */
  close(graph: Digraph, order: Int32Array, tick: (steps: number) => void): Int32Array;
  reaches(from: number, to: number): boolean;
}

/** Order of events that follows from known dependencies, recomputed as they grow. */
export class InducedReachability {
  /** All events in an order; fewer than all if the dependencies close an undesired cycle. */
  order: Int32Array;
  /** The dependencies that no other ones imply, by their numbers: the same closure, and hardly more than the nodes. */
  needed: Int32Array;
  readonly #numEvents: number;
  readonly #closure: EventClosure;

  constructor(numNodes: number, closure: EventClosure = new EventRows(2 * numNodes)) {
    this.#numEvents = 2 * numNodes;
    this.#closure = closure;
    this.order = new Int32Array(0);
    this.needed = new Int32Array(0);
  }

  get isAcyclic(): boolean {
    return this.order.length === this.#numEvents;
  }

  /** Returns whether one event is known to come before another. Only if the graph is acyclic. */
  reaches(from: number, to: number): boolean {
    return this.#closure.reaches(from, to);
  }

  /** Takes the dependencies that were needed the last time and all those from number `first` on. */
  extend(dependencies: Dependencies, first: number, tick: (steps: number) => void): void {
    const numbers = new Int32Array(this.needed.length + dependencies.count - first);
    numbers.set(this.needed);
    for (let e = first, i = this.needed.length; e < dependencies.count; e++) numbers[i++] = e;
    const graph = eventGraph(this.#numEvents, dependencies, numbers);
    tick(graph.target.length);
    this.order = topologicalOrder(graph);
    if (this.isAcyclic) this.needed = this.#closure.close(renumbered(graph, this.order), this.order, tick);
  }
}

/** A matrix of bits, as published: a row for every position, with a bit for every position that it reaches. */
export class EventRows implements EventClosure {
  readonly #width: number; // words in a row
  readonly #rows: Int32Array;
  readonly #position: Int32Array;

  constructor(numEvents: number) {
    this.#width = (numEvents + 31) >>> 5;
    this.#rows = new Int32Array(numEvents * this.#width);
    this.#position = new Int32Array(numEvents);
  }

  static bytesFor(numNodes: number): number {
    return (2 * numNodes) ** 2 / 8;
  }

  reaches(from: number, to: number): boolean {
    const column = this.#position[to];
    return ((this.#rows[this.#position[from] * this.#width + (column >>> 5)] >>> (column & 31)) & 1) === 1;
  }

  /** Joins rows backwards along the order; an edge to a node that nearer ones reach is not needed. */
  close({ start, target, edge }: Digraph, order: Int32Array, tick: (steps: number) => void): Int32Array {
    const rows = this.#rows;
    const width = this.#width;
    const needed = new Int32Array(target.length);
    let numNeeded = 0;
    rows.fill(0);
    for (let at = 0; at < order.length; at++) this.#position[order[at]] = at;
    for (let at = order.length - 1; at >= 0; at--) {
      const base = at * width;
      let steps = 1;
      for (let i = start[at]; i < start[at + 1]; i++) {
        const to = target[i];
        const word = to >>> 5;
        const bit = 1 << (to & 31);
        if ((rows[base + word] & bit) !== 0) continue;
        // No position before it is reached, so the words before its own are 0.
        const other = to * width;
        for (let w = word; w < width; w++) rows[base + w] |= rows[other + w];
        rows[base + word] |= bit;
        if (edge[i] >= 0) needed[numNeeded++] = edge[i];
        steps += width - word;
      }
      tick(steps);
    }
    return needed.slice(0, numNeeded);
  }
}

/** Builds edges between events from some dependencies, and one, numbered −1, from each begin to its commit. */
function eventGraph(numEvents: number, { from, to, type }: Dependencies, numbers: Int32Array): Digraph {
  const numNodes = numEvents >> 1;
  const sources = new Int32Array(numNodes + numbers.length);
  const targets = new Int32Array(numNodes + numbers.length);
  for (let node = 0; node < numNodes; node++) {
    sources[node] = beginEvent(node);
    targets[node] = commitEvent(node);
  }
  for (let i = 0; i < numbers.length; i++) {
    const e = numbers[i];
    const isAnti = type[e] === DependencyType.RW;
    sources[numNodes + i] = isAnti ? beginEvent(from[e]) : commitEvent(from[e]);
    targets[numNodes + i] = isAnti ? commitEvent(to[e]) : beginEvent(to[e]);
  }
  const graph = digraphOf(numEvents, sources, targets);
  const { edge } = graph;
  for (let i = 0; i < edge.length; i++) edge[i] = edge[i] < numNodes ? -1 : numbers[edge[i] - numNodes];
  return graph;
}
