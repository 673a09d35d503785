/** Edges of all graphs. Nodes are numbered consecutively, so that the search sees a single graph. */
import { grown } from '@isolab/graph';
import type { Literal } from '../state/literals.ts';

/** Marks an edge that is always present instead of its literal. */
export const ALWAYS = -1;

interface Graph {
  readonly firstNode: number;
  readonly numNodes: number;
  readonly weightLimit: 0 | 1;
}

export class Edges {
  readonly graphs: Graph[] = [];
  numNodes = 0;
  count = 0;
  from: Int32Array = new Int32Array(0);
  to: Int32Array = new Int32Array(0);
  weight: Uint8Array = new Uint8Array(0);
  literal: Int32Array = new Int32Array(0);
  graph: Int32Array = new Int32Array(0);
  firstOfLiteral: Int32Array = new Int32Array(0); // e + 1 for the first edge of a literal, or 0
  nextOfLiteral: Int32Array = new Int32Array(0); // e + 1 for the next edge with the same literal, or 0
  #lastOfLiteral: Int32Array = new Int32Array(0);

  addVariable(variable: number): void {
    this.firstOfLiteral = grown(this.firstOfLiteral, 2 * variable + 2);
    this.#lastOfLiteral = grown(this.#lastOfLiteral, 2 * variable + 2);
  }

  addGraph(numNodes: number, weightLimit: 0 | 1): number {
    this.graphs.push({ firstNode: this.numNodes, numNodes, weightLimit });
    this.numNodes += numNodes;
    return this.graphs.length - 1;
  }

  add(graph: number, from: number, to: number, literal: Literal, weight: number): number {
    const { firstNode } = this.graphs[graph];
    const e = this.count++;
    if (e === this.from.length) this.#grow();
    this.from[e] = firstNode + from;
    this.to[e] = firstNode + to;
    this.weight[e] = weight;
    this.literal[e] = literal;
    this.graph[e] = graph;
    if (literal === ALWAYS) return e;
    const last = this.#lastOfLiteral[literal];
    if (last === 0) this.firstOfLiteral[literal] = e + 1;
    else this.nextOfLiteral[last - 1] = e + 1;
    this.#lastOfLiteral[literal] = e + 1;
    return e;
  }

  #grow(): void {
    this.from = grown(this.from, this.count);
    this.to = grown(this.to, this.count);
    this.weight = grown(this.weight, this.from.length);
    this.literal = grown(this.literal, this.count);
    this.graph = grown(this.graph, this.count);
    this.nextOfLiteral = grown(this.nextOfLiteral, this.count);
  }
}
