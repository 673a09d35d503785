import { type Digraph, PathFinder, digraphOf, shortCycles } from '@isolab/graph';
import { type Pruning, beginEvent, commitEvent } from '@isolab/polygraph';
import type { Problem } from './problem/problem.ts';

/** Finds paths between events in pruning's known graph as of some point in time. */
export class KnownPaths {
  readonly #problem: Problem;
  readonly #pruning: Pruning;
  readonly #graph: Digraph; // its edges are known edges, by number; −1 from a begin to its commit
  readonly #paths: PathFinder;

  constructor(problem: Problem, pruning: Pruning) {
    this.#problem = problem;
    this.#pruning = pruning;
    this.#graph = graphOf(problem, pruning, problem.polygraph.versions.numNodes);
    this.#paths = new PathFinder(this.#graph);
  }

  /**
   * The dependencies of a shortest path that uses only the first known edges, preferably edges of the polygraph itself.
   */
  path(from: number, to: number, knownBefore: number): number[] {
    if (from === to) return [];
    const path =
      this.#paths.shortest(from, to, Infinity, this.#problem.numKnown) ??
      this.#paths.shortest(from, to, Infinity, knownBefore);
    if (path === null) throw new Error(`Event ${from} does not reach event ${to}.`);
    return this.#dependencies(path);
  }

  /** A short undesired cycle, if possible without edges of settled constraints. */
  cycle(): number[] {
    const { start, target, edge, numNodes } = this.#graph;
    const from: number[] = [];
    const to: number[] = [];
    const number: number[] = [];
    for (let event = 0; event < numNodes; event++) {
      for (let i = start[event]; i < start[event + 1]; i++) {
        if (edge[i] >= this.#problem.numKnown) continue;
        from.push(event);
        to.push(target[i]);
        number.push(edge[i]);
      }
    }
    const [own] = shortCycles(digraphOf(numNodes, from, to));
    if (own !== undefined) return this.#dependencies(own.map((e) => number[e]));
    const [any] = shortCycles(this.#graph);
    return this.#dependencies(any);
  }

  #dependencies(known: readonly number[]): number[] {
    const { constraintEdge } = this.#pruning;
    return known
      .filter((e) => e >= 0)
      .map((e) => (constraintEdge[e] < 0 ? e : this.#problem.numKnown + constraintEdge[e]));
  }
}

function graphOf(problem: Problem, { known, constraintEdge }: Pruning, numNodes: number): Digraph {
  const from = new Int32Array(numNodes + known.count);
  const to = new Int32Array(numNodes + known.count);
  for (let node = 0; node < numNodes; node++) {
    from[node] = beginEvent(node);
    to[node] = commitEvent(node);
  }
  for (let e = 0; e < known.count; e++) {
    const d = constraintEdge[e] < 0 ? e : problem.numKnown + constraintEdge[e];
    from[numNodes + e] = problem.leaves(d);
    to[numNodes + e] = problem.arrives(d);
  }
  const graph = digraphOf(2 * numNodes, from, to);
  return { ...graph, edge: graph.edge.map((e) => (e < numNodes ? -1 : e - numNodes)) };
}
