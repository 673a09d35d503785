import { type Digraph, cyclicComponents } from '@isolab/graph';
import type { Dependencies } from './dependencies.ts';
import { type Scope, type TypedEdge, type TypedGraph, typedGraph } from './typed-edges.ts';

export interface Cycle {
  readonly edges: readonly TypedEdge[];
  /** The narrowest scope in which the walk is a cycle. */
  readonly scope: Scope;
}

/**
 * Short cycles among unplaced transactions, in the narrowest scope with cycles: the first cycle, or one per component.
 */
export function findCycles(
  dependencies: Dependencies,
  unplaced: Int32Array,
  scopes: readonly Scope[],
  findAll: boolean,
): Cycle[] {
  const cycles: Cycle[] = [];
  const isTold = new Set<number>();
  for (const scope of scopes) {
    const graph = typedGraph(dependencies, unplaced, scope);
    for (const component of cyclicComponents(graph.graph)) {
      const members = component.filter((n) => n < graph.firstRelay).map((n) => n % unplaced.length);
      if (members.some((i) => isTold.has(i))) continue;
      cycles.push({ edges: graph.edgesOf(shortCycle(graph, component)), scope });
      if (!findAll) return cycles;
      for (const i of members) isTold.add(i);
    }
  }
  return cycles;
}

/** The shortest cycle through one of the first few nodes of a component. */
function shortCycle({ graph, firstRelay }: TypedGraph, component: readonly number[]): number[] {
  const search = new CycleSearch(graph, firstRelay);
  let best: number[] | null = null;
  let bestLength = Infinity;
  for (const root of component.filter((n) => n < firstRelay).slice(0, ROOTS_TRIED)) {
    const found = search.through(root, bestLength);
    if (found === null) continue;
    best = found;
    bestLength = search.depth;
  }
  return best!;
}

const ROOTS_TRIED = 32;

/** Breadth-first search in which relays have no cost. */
class CycleSearch {
  readonly #graph: Digraph;
  readonly #firstRelay: number;
  readonly #met: Int32Array; // the last search that met each node
  readonly #via: Int32Array; // the edge through which it was met,
  readonly #source: Int32Array; // and the source of this edge
  #searches = 0;
  /** Number of transactions in the last cycle found. */
  depth = 0;

  constructor(graph: Digraph, firstRelay: number) {
    this.#graph = graph;
    this.#firstRelay = firstRelay;
    this.#met = new Int32Array(graph.numNodes);
    this.#via = new Int32Array(graph.numNodes);
    this.#source = new Int32Array(graph.numNodes);
  }

  /** The edges of a shortest cycle through a node, in order; null if there is none shorter than `bound`. */
  through(root: number, bound: number): number[] | null {
    const { start, target, edge } = this.#graph;
    const search = ++this.#searches;
    let level = [root];
    for (this.depth = 1; level.length > 0 && this.depth < bound; this.depth++) {
      const next: number[] = [];
      // Relays are appended to the level during the loop.
      for (let at = 0; at < level.length; at++) {
        const node = level[at];
        for (let i = start[node]; i < start[node + 1]; i++) {
          const to = target[i];
          if (this.#met[to] === search) continue;
          this.#met[to] = search;
          this.#via[to] = edge[i];
          this.#source[to] = node;
          if (to === root) return this.#pathTo(root);
          (to >= this.#firstRelay ? level : next).push(to);
        }
      }
      level = next;
    }
    return null;
  }

  #pathTo(root: number): number[] {
    const path = [this.#via[root]];
    for (let node = this.#source[root]; node !== root; node = this.#source[node]) path.push(this.#via[node]);
    return path.toReversed();
  }
}
