// PruneConstraints (Algorithm 1, lines 11 to 34): a side that would close an undesired cycle is impossible, so the
// edges of the other side become known, which may make more sides impossible.

import { DependencyColumns, DependencyType } from './generalized-dependencies.ts';
import { type GeneralizedConstraints, type GeneralizedPolygraph, Side } from './generalized-polygraph.ts';
import { type EventClosure, InducedReachability, beginEvent, commitEvent } from './generalized-reachability.ts';

const { WW } = DependencyType;

/**
 * `paper`: stop when a round settles no constraint. `artifact`: stop when a round settles, or leaves open, at most 1 %
 * of all constraints.
 */
export type StopRule = 'paper' | 'artifact';

/** Side of a constraint that holds. */
export const Choice = { Open: -1, Either: Side.Either, Or: Side.Or } as const;

export interface Pruning {
  /** The known graph: the polygraph's known edges, then the edges of settled constraints. */
  readonly known: DependencyColumns;
  /** Number of each known edge among the edges of the constraints, or −1. */
  readonly constraintEdge: Int32Array;
  readonly choice: Int8Array;
  /**
   * For each settled constraint, the edge of its other side that closes a cycle with the first `knownBefore` known
   * edges.
   */
  readonly impossibleEdge: Int32Array;
  readonly knownBefore: Int32Array;
  readonly numOpen: number;
  /** Number of dependencies of open constraints. */
  readonly unknownDependencies: number;
  readonly rounds: number;
  /** A constraint with two impossible sides, and an edge of each side that closes a cycle. */
  readonly contradiction: Contradiction | null;
  /** Reachability in the known graph; if the graph has an undesired cycle, there is no solution. */
  readonly reachability: InducedReachability;
}

export interface Contradiction {
  readonly either: number;
  readonly or: number;
  /** Number of known edges, as in Pruning. */
  readonly knownBefore: number;
}

export interface PruneOptions {
  readonly stop?: StopRule;
  /** If false, only closes the known graph, without pruning. */
  readonly enabled?: boolean;
  /** Replaces the matrix of bits. */
  readonly closure?: EventClosure;
  readonly tick?: (steps: number) => void;
}

/** Settles constraints until a round settles too few of them, and returns the result. */
export function prunePolygraph(
  polygraph: GeneralizedPolygraph,
  { stop = 'paper', enabled = true, closure, tick = () => {} }: PruneOptions = {},
): Pruning {
  const pruner = new Pruner(polygraph, closure, tick);
  const { count } = polygraph.constraints;
  while (pruner.close()) {
    if (!enabled) break;
    const before = pruner.numOpen;
    pruner.settleRound();
    const solved = before - pruner.numOpen;
    if (pruner.contradiction !== null || solved === 0) break;
    if (stop === 'artifact' && (solved <= 0.01 * count || pruner.numOpen <= 0.01 * count)) {
      pruner.close();
      break;
    }
  }
  return pruner.result();
}

class Pruner {
  numOpen: number;
  contradiction: Contradiction | null = null;
  readonly #constraints: GeneralizedConstraints;
  readonly #numGiven: number;
  readonly #known: DependencyColumns;
  readonly #tick: (steps: number) => void;
  readonly #reachability: InducedReachability;
  readonly #constraintEdges: number[] = []; // known edges after the given edges
  readonly #choice: Int8Array;
  readonly #impossibleEdge: Int32Array;
  readonly #knownBefore: Int32Array;
  readonly #open: Int32Array;
  #closed = 0; // known edges in the closure
  #rounds = 0;

  constructor(
    { versions, known, constraints }: GeneralizedPolygraph,
    closure: EventClosure | undefined,
    tick: (steps: number) => void,
  ) {
    const { count } = constraints;
    this.numOpen = count;
    this.#constraints = constraints;
    this.#numGiven = known.count;
    this.#known = new DependencyColumns(2 * known.count + 16);
    for (let e = 0; e < known.count; e++) this.#known.add(known.from[e], known.to[e], known.type[e], known.key[e]);
    this.#tick = tick;
    this.#reachability = new InducedReachability(versions.numNodes, closure);
    this.#choice = new Int8Array(count).fill(Choice.Open);
    this.#impossibleEdge = new Int32Array(count).fill(-1);
    this.#knownBefore = new Int32Array(count);
    this.#open = Int32Array.from({ length: count }, (_, c) => c);
  }

  /** Closes the known graph; returns false if it has an undesired cycle. */
  close(): boolean {
    this.#reachability.extend(this.#known, this.#closed, this.#tick);
    this.#closed = this.#known.count;
    return this.#reachability.isAcyclic;
  }

  /** Settles the open constraints with one impossible side, up to the first constraint with two. */
  settleRound(): void {
    const { start, middle } = this.#constraints;
    this.#rounds++;
    let kept = 0;
    for (let i = 0, end = this.numOpen; i < end; i++) {
      const c = this.#open[i];
      const either = this.#findImpossible(start[c], middle[c]);
      const or = this.#findImpossible(middle[c], start[c + 1]);
      this.#tick(1);
      if (either >= 0 && or >= 0) {
        this.contradiction = { either, or, knownBefore: this.#closed };
        return;
      }
      if (either >= 0) this.#settle(c, Side.Or, either);
      else if (or >= 0) this.#settle(c, Side.Either, or);
      else this.#open[kept++] = c;
    }
  }

  /**
   * Returns the first edge of a range that closes a cycle with known edges, or −1. Figure 4 (a): there is a path from
   * the end of a WW edge to its start. (b): there is a path from the end of an RW edge to a predecessor in Dep of its
   * start, that is, to the begin of its start; the composed edge would close the cycle.
   */
  #findImpossible(first: number, end: number): number {
    const { from, to, type } = this.#constraints.edges;
    const reachability = this.#reachability;
    for (let e = first; e < end; e++) {
      const back = type[e] === WW ? commitEvent(from[e]) : beginEvent(from[e]);
      if (reachability.reaches(commitEvent(to[e]), back)) return e;
    }
    return -1;
  }

  #settle(c: number, side: 0 | 1, impossible: number): void {
    const { start, middle, edges } = this.#constraints;
    this.#choice[c] = side;
    this.#impossibleEdge[c] = impossible;
    this.#knownBefore[c] = this.#closed;
    const end = side === Side.Either ? middle[c] : start[c + 1];
    for (let e = side === Side.Either ? start[c] : middle[c]; e < end; e++) {
      this.#known.add(edges.from[e], edges.to[e], edges.type[e], edges.key[e]);
      this.#constraintEdges.push(e);
    }
    this.numOpen--;
  }

  result(): Pruning {
    const { count, start } = this.#constraints;
    let unknownDependencies = 0;
    for (let c = 0; c < count; c++) if (this.#choice[c] === Choice.Open) unknownDependencies += start[c + 1] - start[c];
    const constraintEdge = new Int32Array(this.#known.count).fill(-1, 0, this.#numGiven);
    constraintEdge.set(this.#constraintEdges, this.#numGiven);
    return {
      known: this.#known,
      constraintEdge,
      choice: this.#choice,
      impossibleEdge: this.#impossibleEdge,
      knownBefore: this.#knownBefore,
      numOpen: this.numOpen,
      unknownDependencies,
      rounds: this.#rounds,
      contradiction: this.contradiction,
      reachability: this.#reachability,
    };
  }
}
