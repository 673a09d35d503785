import { type Digraph, digraphOf, renumbered, topologicalOrder } from '@isolab/graph';
import { type Dependencies, DependencyType } from './generalized-dependencies.ts';

/**
 * The induced graph Dep ∪ (Dep ; AntiDep) without its composed edges. Every node is split into two events: Dep edges
 * enter the first and anti-dependencies leave it; anti-dependencies enter the second and Dep edges leave it. The first
 * precedes the successors of a transaction's begin, the second the successors of its commit. Two adjacent
 * anti-dependencies, which the induced graph does not compose, do not meet.
 */
export const beginEvent = (node: number): number => 2 * node;
export const commitEvent = (node: number): number => 2 * node + 1;

/** Reachability between events of an acyclic graph, with different uses of memory. */
export interface EventClosure {
  /**
   * Closes a graph of positions in an order of all events. Returns the numbers of its edges that other edges do not
   * imply.
   */
  close(graph: Digraph, order: Int32Array, tick: (steps: number) => void): Int32Array;
  reaches(from: number, to: number): boolean;
}

/** Order of events that known dependencies imply, recomputed as they grow. */
export class InducedReachability {
  /** All events in order; fewer than all if the dependencies close an undesired cycle. */
  order: Int32Array;
  /**
   * Numbers of the dependencies that others do not imply. They have the same closure and are hardly more numerous than
   * the nodes.
   */
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

  /** Returns whether one event is known to precede another. The graph must be acyclic. */
  reaches(from: number, to: number): boolean {
    return this.#closure.reaches(from, to);
  }

  /** Uses the dependencies that were needed last time and all dependencies from number `first`. */
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

/** A matrix of bits, as published: each position has a row, with a bit for every position that it reaches. */
export class EventRows implements EventClosure {
  readonly #width: number; // words per row
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

  /** Joins rows backwards along the order; an edge is redundant if nearer successors reach its target. */
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
        // A position reaches no earlier position, so the words before its own word are 0.
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

/** Builds edges between events from some dependencies, and an edge with number −1 from each begin to its commit. */
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
