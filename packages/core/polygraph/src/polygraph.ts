/**
 * Polygraphs (Papadimitriou, The serializability of concurrent database updates, JACM 1979) as Cobra has them (Tan et
 * al., Cobra: Making transactional key-value stores verifiably serializable, OSDI 2020): known edges, and constraints
 * of two sets of edges, one of which must hold in full. Is there a choice that leaves no cycle?
 */
import { IntList } from '@isolab/graph';
import type { PolygraphInput } from '@isolab/history';
import { Known, KnownGraph } from './known-graph.ts';

export interface Polygraph {
  readonly numNodes: number;
  readonly known: KnownGraph;
  readonly constraints: Constraints;
}

/** State of a constraint. */
export const Decision = { Open: 0, Either: 1, Or: 2 } as const;

/**
 * Constraints in columns. The edges of side `either` of constraint c are those from start[2c] to start[2c + 1], of side
 * `or` from start[2c + 1] to start[2c + 2].
 */
export class Constraints {
  readonly from = new IntList();
  readonly to = new IntList();
  /** The read that makes an edge an anti-dependency, or −1. */
  readonly read = new IntList();
  readonly #start = new IntList();
  /** The chains whose order a constraint is about: the first comes before the second in `either`; −1 where none are. */
  readonly first = new IntList();
  readonly second = new IntList();
  // Results of pruning, by constraint.
  readonly decision = new IntList();
  /** The impossible edge of the other side, and the number of edges known then. */
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

  /** Adds an edge to the side that is being built. */
  edge(from: number, to: number, read: number): void {
    this.from.push(from);
    this.to.push(to);
    this.read.push(read);
  }

  /** Ends the side that is being built. */
  endSide(): void {
    this.#start.push(this.from.length);
  }

  /** Ends a constraint, after both of its sides. */
  end(first = -1, second = -1): void {
    this.first.push(first);
    this.second.push(second);
    this.decision.push(Decision.Open);
    this.refuted.push(-1);
    this.refutedAt.push(0);
  }

  /** The edges of a side: `either` is 0, `or` is 1. */
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

/** A polygraph as a file gives it. */
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
