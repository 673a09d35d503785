/**
 * Polygraphs (Papadimitriou, The serializability of concurrent database updates, JACM 1979) in the form of Cobra (Tan
 * et al., Cobra: Making transactional key-value stores verifiably serializable, OSDI 2020): known edges, and
 * constraints with two sets of edges, one of which must hold completely. The question is whether some choice is
 * acyclic.
 */
import { IntList } from '@isolab/graph';
import type { OperationId, PolygraphInput } from '@isolab/history';
import { Known, KnownGraph } from './known-graph.ts';

export interface Polygraph {
  readonly numNodes: number;
  readonly known: KnownGraph;
  readonly constraints: Constraints;
}

export const Decision = { Open: 0, Either: 1, Or: 2 } as const;

/**
 * Constraints in columns. The edges of side `either` of constraint c are start[2c] … start[2c + 1] − 1, and the edges
 * of side `or` are start[2c + 1] … start[2c + 2] − 1.
 */
export class Constraints {
  readonly from = new IntList();
  readonly to = new IntList();
  /** Read that makes an edge an anti-dependency, or −1. */
  readonly read = new IntList();
  readonly #start = new IntList();
  /** The chains that a constraint orders: the first precedes the second in `either`; −1 if there are none. */
  readonly first = new IntList();
  readonly second = new IntList();
  // Results of pruning, by constraint.
  readonly decision = new IntList();
  /** Impossible edge of the other side, and the number of known edges at that time. */
  readonly refuted = new IntList();
  readonly refutedAt = new IntList();

  constructor() {
    this.#start.push(0);
  }

  get count(): number {
    return this.decision.length;
  }

  /** First edge of every side, with one extra slot. */
  get start(): Int32Array {
    return this.#start.items;
  }

  /** Adds an edge to the current side. */
  edge(from: number, to: number, read: OperationId): void {
    this.from.push(from);
    this.to.push(to);
    this.read.push(read);
  }

  endSide(): void {
    this.#start.push(this.from.length);
  }

  /** Ends a constraint, after both sides. */
  end(first = -1, second = -1): void {
    this.first.push(first);
    this.second.push(second);
    this.decision.push(Decision.Open);
    this.refuted.push(-1);
    this.refutedAt.push(0);
  }

  /** Returns the edges of a side: `either` is 0, `or` is 1. */
  side(constraint: number, side: number): { readonly begin: number; readonly end: number } {
    const start = this.#start.items;
    return { begin: start[2 * constraint + side], end: start[2 * constraint + side + 1] };
  }

  countOpen(): number {
    let open = 0;
    for (let c = 0; c < this.count; c++) if (this.decision.items[c] === Decision.Open) open++;
    return open;
  }
}

export function polygraphOf({ nodes, edges, constraints }: PolygraphInput): Polygraph {
  const known = new KnownGraph(edges.length >> 1);
  for (let i = 0; i < edges.length; i += 2) known.add(edges[i], edges[i + 1], Known.Given);
  const columns = new Constraints();
  for (let i = 0; i < constraints.length; i += 4) {
    columns.edge(constraints[i], constraints[i + 1], -1);
    columns.endSide();
    columns.edge(constraints[i + 2], constraints[i + 3], -1);
    columns.endSide();
    columns.end();
  }
  return { numNodes: nodes, known, constraints: columns };
}
