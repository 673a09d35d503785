import { Stop } from '@isolab/contract';
import { lowerBound } from '@isolab/graph';
import type { Graph } from './graph.ts';
import type { Model } from './model.ts';
import { MAX_TREE_SESSIONS, TreeClocks } from './tree-clock.ts';

/** Answers whether one node reaches another; every node reaches itself. */
export interface Reachability {
  reaches(from: number, to: number): boolean;
  /**
   * Index of the last of `nodes[from … to)` that reaches `node`, or `from − 1`. These nodes ascend and belong to
   * `session`.
   */
  lastReaching(node: number, session: number, nodes: Int32Array, from: number, to: number): number;
}

export interface ClockCounters {
  /** Number of nodes that UpdateVec visited or, without vectors, the searches. */
  visitedNodes: number;
  joins: number;
  joinedEntries: number;
}

/** Kind of reachability, for the ablation of Plume's section 5.5.4. */
export type ClockKind = 'tree' | 'vector' | 'none';

export function buildReachability(
  kind: ClockKind,
  model: Model,
  graph: Graph,
  order: Int32Array,
  counters: ClockCounters,
  tick: (steps: number) => void,
): Reachability {
  if (kind === 'none') return new Search(graph, counters, tick);
  return new Vectors(model, graph, kind === 'tree', counters, tick).build(order);
}

/**
 * Vec (section 4.1): for every node and session the last transaction of that session that reaches the node. A node u
 * reaches v if Vec[v] at u's session is at least u's position.
 * Nodes are added in a given order, each with its edges from and to the nodes that are already present. Before and
 * after every edge the vectors are exact, so a traversal ends at nodes that know the edge's source (Algorithm 1, line
 * 28), and a node that knows a transaction knows all its predecessors, as tree clocks require.
 */
class Vectors implements Reachability {
  readonly #clk: Int32Array;
  readonly #numSessions: number;
  readonly #session: Int32Array;
  readonly #position: Int32Array;
  readonly #firstOfSession: Int32Array;
  readonly #graph: Graph;
  readonly #isAdded: Uint8Array;
  readonly #counters: ClockCounters;
  readonly #tick: (steps: number) => void;
  #trees: TreeClocks | null;

  constructor(model: Model, graph: Graph, useTrees: boolean, counters: ClockCounters, tick: (steps: number) => void) {
    const { numNodes, numSessions, session, position } = model;
    const trees = useTrees && numSessions < MAX_TREE_SESSIONS;
    this.#numSessions = numSessions;
    this.#session = session;
    this.#position = position;
    this.#firstOfSession = new Int32Array(numSessions);
    for (let v = 0; v < numNodes; v++) if (position[v] === 1) this.#firstOfSession[session[v]] = v;
    this.#graph = graph;
    this.#isAdded = new Uint8Array(numNodes);
    this.#counters = counters;
    this.#tick = tick;
    try {
      this.#clk = new Int32Array(numNodes * numSessions);
      this.#trees = trees ? new TreeClocks(this.#clk, session, numSessions) : null;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new Stop(
        'memory',
        `Vectors of ${numSessions} sessions for ${numNodes} transactions do not fit in memory; the variant no-vectors needs none.`,
      );
    }
  }

  reaches(from: number, to: number): boolean {
    return this.#clk[to * this.#numSessions + this.#session[from]] >= this.#position[from];
  }

  lastReaching(node: number, session: number, nodes: Int32Array, from: number, to: number): number {
    // The nodes of a session are numbered in order.
    const last = this.#firstOfSession[session] + this.#clk[node * this.#numSessions + session] - 1;
    if (nodes[to - 1] <= last) return to - 1;
    return lowerBound(nodes, from, to, last + 1) - 1;
  }

  build(order: Int32Array): this {
    for (let i = 0; i < order.length; i++) {
      this.#add(order[i]);
      this.#tick(1);
    }
    if (this.#trees) this.#counters.joinedEntries += this.#trees.examined;
    this.#trees = null;
    return this;
  }

  /**
   * BuildCO for one transaction: computes its vector from its incoming edges, then runs UpdateVec along its outgoing
   * edges.
   */
  #add(node: number): void {
    const { inStart, inSource, outStart, outTarget } = this.#graph;
    const isAdded = this.#isAdded;
    this.#initialise(node);
    for (let e = inStart[node], end = inStart[node + 1]; e < end; e++) {
      const source = inSource[e];
      if (isAdded[source] === 1 && !this.reaches(source, node)) this.#join(node, source);
    }
    isAdded[node] = 1;
    this.#counters.visitedNodes++;
    for (let e = outStart[node], end = outStart[node + 1]; e < end; e++) {
      const target = outTarget[e];
      if (isAdded[target] === 1 && !this.reaches(node, target)) this.#updateVec(node, target);
    }
  }

  #initialise(node: number): void {
    const size = this.#numSessions;
    const own = this.#session[node];
    if (this.#position[node] > 1) {
      this.#clk.copyWithin(node * size, (node - 1) * size, node * size);
      this.#trees?.copyTree(node - 1, node);
    } else {
      this.#trees?.plantTree(node);
    }
    const slot = node * size + own;
    this.#clk[slot] = Math.max(this.#clk[slot], this.#position[node]);
  }

  /** Joins the clock of `source` into `first` and all nodes that it reaches, after a new edge between the two. */
  #updateVec(source: number, first: number): void {
    // On a cycle, a tree would have to hold a later transaction of its root's session: continue with plain vectors.
    if (this.#trees && this.reaches(first, source)) {
      this.#counters.joinedEntries += this.#trees.examined;
      this.#trees = null;
    }
    const { numNodes, session, outStart, outTarget } = this.#graph;
    const isAdded = this.#isAdded;
    const stack = [first];
    for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
      if (this.reaches(source, v)) continue;
      this.#counters.visitedNodes++;
      this.#tick(1);
      this.#join(v, source);
      if (v + 1 < numNodes && session[v + 1] === session[v] && isAdded[v + 1] === 1) stack.push(v + 1);
      for (let e = outStart[v], end = outStart[v + 1]; e < end; e++) {
        if (isAdded[outTarget[e]] === 1) stack.push(outTarget[e]);
      }
    }
  }

  #join(target: number, source: number): void {
    this.#counters.joins++;
    if (this.#trees) {
      this.#trees.join(target, source);
      return;
    }
    const clk = this.#clk;
    const size = this.#numSessions;
    this.#counters.joinedEntries += size;
    for (let to = target * size, from = source * size, end = to + size; to < end; to++, from++) {
      if (clk[to] < clk[from]) clk[to] = clk[from];
    }
  }
}

/** No vectors: a depth-first search for every question. */
class Search implements Reachability {
  readonly #graph: Graph;
  readonly #counters: ClockCounters;
  readonly #tick: (steps: number) => void;
  readonly #seen: Int32Array;
  readonly #stack: Int32Array;
  #search = 0;

  constructor(graph: Graph, counters: ClockCounters, tick: (steps: number) => void) {
    this.#graph = graph;
    this.#counters = counters;
    this.#tick = tick;
    this.#seen = new Int32Array(graph.numNodes);
    this.#stack = new Int32Array(graph.numNodes);
  }

  reaches(from: number, to: number): boolean {
    const { numNodes, session, outStart, outTarget } = this.#graph;
    const seen = this.#seen;
    const stack = this.#stack;
    const search = ++this.#search;
    let visited = 0;
    let top = 0;
    stack[top++] = from;
    seen[from] = search;
    while (top > 0 && seen[to] !== search) {
      const v = stack[--top];
      visited++;
      if (v + 1 < numNodes && session[v + 1] === session[v] && seen[v + 1] !== search) {
        seen[v + 1] = search;
        stack[top++] = v + 1;
      }
      for (let e = outStart[v], end = outStart[v + 1]; e < end; e++) {
        const w = outTarget[e];
        if (seen[w] === search) continue;
        seen[w] = search;
        stack[top++] = w;
      }
    }
    this.#counters.visitedNodes += visited;
    this.#tick(visited + 1);
    return seen[to] === search;
  }

  lastReaching(node: number, _session: number, nodes: Int32Array, from: number, to: number): number {
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.reaches(nodes[middle], node)) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }
}
