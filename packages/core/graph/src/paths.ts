import { cyclicComponents } from './components.ts';
import type { Digraph } from './digraph.ts';

/** Finds shortest paths in one graph, again and again, without clearing anything in between. */
export class PathFinder {
  readonly #graph: Digraph;
  readonly #met: Int32Array; // the search in which a node was met last
  readonly #via: Int32Array; // the place of the edge over which it was met
  readonly #source: Int32Array; // and the node that this edge leaves
  readonly #queue: Int32Array;
  #search = 0;

  constructor(graph: Digraph) {
    this.#graph = graph;
    this.#met = new Int32Array(graph.numNodes);
    this.#via = new Int32Array(graph.numNodes);
    this.#source = new Int32Array(graph.numNodes);
    this.#queue = new Int32Array(graph.numNodes);
  }

  /**
   * The edges of a shortest path, or cycle if both nodes are the same; null if none is shorter than `bound`. Only edges
   * with numbers below `limit` count.
   */
  shortest(from: number, to: number, bound: number = Infinity, limit: number = Infinity): number[] | null {
    const { start, target, edge } = this.#graph;
    const met = this.#met;
    const search = ++this.#search;
    const queue = this.#queue;
    let end = 0;
    queue[end++] = from;
    let levelEnd = end;
    let depth = 1;
    for (let at = 0; at < end; at++) {
      if (at === levelEnd) {
        depth++;
        levelEnd = end;
      }
      if (depth >= bound) return null;
      const node = queue[at];
      for (let i = start[node]; i < start[node + 1]; i++) {
        const next = target[i];
        if (met[next] === search || edge[i] >= limit) continue;
        met[next] = search;
        this.#via[next] = edge[i];
        this.#source[next] = node;
        if (next === to) return this.#pathTo(to, from);
        if (next !== from) queue[end++] = next;
      }
    }
    return null;
  }

  #pathTo(to: number, from: number): number[] {
    const path = [this.#via[to]];
    for (let node = this.#source[to]; node !== from; node = this.#source[node]) path.push(this.#via[node]);
    return path.toReversed();
  }
}

/** A short cycle of each component, as its edges: the shortest one through any of its first nodes. */
export function* shortCycles(graph: Digraph): Generator<number[]> {
  const paths = new PathFinder(graph);
  for (const component of cyclicComponents(graph)) {
    let best: number[] | null = null;
    for (const root of component.slice(0, ROOTS_TRIED)) {
      const bound: number = best === null ? Infinity : best.length;
      best = paths.shortest(root, root, bound) ?? best;
    }
    yield best!;
  }
}

const ROOTS_TRIED = 32;
