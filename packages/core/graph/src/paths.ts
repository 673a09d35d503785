import { cyclicComponents } from './components.ts';
import type { Digraph } from './digraph.ts';

/** Finds shortest paths in one graph repeatedly, without clearing data between searches. */
export class PathFinder {
  readonly #graph: Digraph;
  readonly #met: Int32Array; // last search that reached each node
  readonly #via: Int32Array; // place of the edge through which it was reached
  readonly #source: Int32Array; // source of that edge
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
   * Returns the edges of a shortest path, or of a shortest cycle if both nodes are equal; null if no path is shorter
   * than `bound`. Only edges with numbers below `limit` are used.
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

/** Finds a short cycle of each component, as its edges: the shortest cycle through any of its first nodes. */
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
