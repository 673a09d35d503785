import type { Digraph } from '@isolab/graph';
import { Relation } from './graph.ts';

/** Shortest paths by the number of transactions: edges through hubs, and from a begin to its commit, cost nothing. */
export class HubPaths {
  readonly #graph: Digraph;
  readonly #relation: Uint8Array; // by edge
  readonly #met: Int32Array; // the last search that reached each node
  readonly #done: Int32Array; // the last search that visited each node
  readonly #distance: Int32Array;
  readonly #via: Int32Array; // the place of the edge through which it was reached
  readonly #source: Int32Array; // and the source of this edge
  #search = 0;
  /** Number of edges that the last search examined. */
  lastSteps = 0;

  constructor(graph: Digraph, relation: Uint8Array) {
    this.#graph = graph;
    this.#relation = relation;
    this.#met = new Int32Array(graph.numNodes);
    this.#done = new Int32Array(graph.numNodes);
    this.#distance = new Int32Array(graph.numNodes);
    this.#via = new Int32Array(graph.numNodes);
    this.#source = new Int32Array(graph.numNodes);
  }

  /** The edges of a shortest path that costs less than `bound`, or null; empty from a node to itself. */
  shortest(from: number, to: number, bound: number): number[] | null {
    const { start, target, edge } = this.#graph;
    const [met, done, distance] = [this.#met, this.#done, this.#distance];
    const search = ++this.#search;
    this.lastSteps = 0;
    let here = [from]; // nodes to visit at this distance; grows by nodes that cost nothing
    met[from] = search;
    distance[from] = 0;
    for (let d = 0; here.length > 0 && d < bound; d++) {
      const next: number[] = [];
      for (let node = here.pop(); node !== undefined; node = here.pop()) {
        if (done[node] === search) continue;
        done[node] = search;
        if (node === to) return this.#pathTo(to, from);
        this.lastSteps += start[node + 1] - start[node];
        for (let i = start[node]; i < start[node + 1]; i++) {
          const neighbour = target[i];
          const cost = this.#isFree(edge[i]) ? 0 : 1;
          if (met[neighbour] === search && distance[neighbour] <= d + cost) continue;
          met[neighbour] = search;
          distance[neighbour] = d + cost;
          this.#via[neighbour] = i;
          this.#source[neighbour] = node;
          (cost === 0 ? here : next).push(neighbour);
        }
      }
      here = next;
    }
    return null;
  }

  #isFree(edge: number): boolean {
    return edge < 0 || (this.#relation[edge] & (Relation.ThroughRW | Relation.ThroughTime)) !== 0;
  }

  #pathTo(to: number, from: number): number[] {
    const path: number[] = [];
    for (let node = to; node !== from; node = this.#source[node]) {
      const e = this.#graph.edge[this.#via[node]];
      if (e >= 0) path.push(e);
    }
    return path.toReversed();
  }
}
