// PruneConstraints (Algorithm 1, lines 11 to 34): possibilities that would close an undesired cycle are out, which makes
// the edges of the other one known, which may rule out more.

import { DependencyColumns, DependencyType } from './generalized-dependencies.ts';
import { type GeneralizedPolygraph, Side } from './generalized-polygraph.ts';
import { InducedReachability, beginEvent, commitEvent } from './generalized-reachability.ts';

const { WW } = DependencyType;

/** `paper`: until a round settles nothing. `artifact`: until it settles, or leaves, at most 1 % of all constraints. */
export type StopRule = 'paper' | 'artifact';

/** Which side of a constraint holds. */
export const Choice = { Open: -1, Either: Side.Either, Or: Side.Or } as const;

export interface Pruning {
  /** The known graph: the polygraph's known edges, and then those of settled constraints. */
  readonly known: DependencyColumns;
  /** By known edge: its number among the edges of the constraints, or −1. */
  readonly constraintEdge: Int32Array;
  /** By constraint: a Choice. */
  readonly choice: Int8Array;
  /** By settled constraint: the edge of the other side that closes a cycle with the first `knownBefore` known edges. */
  readonly impossibleEdge: Int32Array;
  readonly knownBefore: Int32Array;
  /** Settled constraints in their order. */
  readonly settled: Int32Array;
  readonly numOpen: number;
  /** Of those that are open. */
  readonly unknownDependencies: number;
  readonly rounds: number;
  /** A constraint of which neither side is possible, with an edge of each that closes a cycle. */
  readonly contradiction: Contradiction | null;
  /** Of the known graph; not acyclic if that has an undesired cycle, in which case there is no solution either. */
  readonly reachability: InducedReachability;
}

export interface Contradiction {
  readonly constraint: number;
  readonly either: number;
  readonly or: number;
  /** As in Pruning. */
  readonly knownBefore: number;
}

export interface PruneOptions {
  readonly stop?: StopRule;
  /** Not to prune at all, but only to close the known graph. */
  readonly enabled?: boolean;
  readonly tick?: (steps: number) => void;
}

export function prunePolygraph(
  { versions, known: given, constraints }: GeneralizedPolygraph,
  { stop = 'paper', enabled = true, tick = () => {} }: PruneOptions = {},
): Pruning {
  const { count, start, middle, edges } = constraints;
  const known = new DependencyColumns(2 * given.count + 16);
  for (let e = 0; e < given.count; e++) known.add(given.from[e], given.to[e], given.type[e], given.key[e]);
  const constraintEdges: number[] = [];
  const choice = new Int8Array(count).fill(Choice.Open);
  const impossibleEdge = new Int32Array(count).fill(-1);
  const knownBefore = new Int32Array(count);
  const settled = new Int32Array(count);
  const open = Int32Array.from({ length: count }, (_, c) => c);
  let numOpen = count;
  let rounds = 0;
  let contradiction: Pruning['contradiction'] = null;

  const reachability = new InducedReachability(versions.numNodes);
  const { from, to, type } = edges;
  /** The first edge of a range that closes a cycle with what is known, or −1. */
  const findImpossible = (first: number, end: number): number => {
    for (let e = first; e < end; e++) {
      // Figure 4 (a): there is a path from the end of a WW edge to its beginning. (b): one from the end of an RW edge to
      // a predecessor of its beginning in Dep, from which the composed edge would lead back; that is, to its begin.
      const isImpossible =
        type[e] === WW
          ? reachability.reaches(commitEvent(to[e]), commitEvent(from[e]))
          : reachability.reaches(commitEvent(to[e]), beginEvent(from[e]));
      if (isImpossible) return e;
    }
    return -1;
  };
  const settle = (c: number, side: 0 | 1, impossible: number, at: number): void => {
    choice[c] = side;
    impossibleEdge[c] = impossible;
    knownBefore[c] = at;
    settled[count - numOpen] = c;
    const end = side === Side.Either ? middle[c] : start[c + 1];
    for (let e = side === Side.Either ? start[c] : middle[c]; e < end; e++) {
      known.add(from[e], to[e], type[e], edges.key[e]);
      constraintEdges.push(e);
    }
    numOpen--;
  };

  let closed = 0; // known edges that the closure has
  for (;;) {
    reachability.extend(known, closed, tick);
    closed = known.count;
    if (!reachability.isAcyclic || !enabled) break;
    rounds++;
    let kept = 0;
    const before = numOpen;
    for (let i = 0; i < before; i++) {
      const c = open[i];
      const either = findImpossible(start[c], middle[c]);
      const or = findImpossible(middle[c], start[c + 1]);
      tick(1);
      if (either >= 0 && or >= 0) {
        contradiction = { constraint: c, either, or, knownBefore: closed };
        break;
      }
      if (either >= 0) settle(c, Side.Or, either, closed);
      else if (or >= 0) settle(c, Side.Either, or, closed);
      else open[kept++] = c;
    }
    const solved = before - numOpen;
    if (contradiction !== null || solved === 0) break;
    if (stop === 'artifact' && (solved <= 0.01 * count || numOpen <= 0.01 * count)) {
      reachability.extend(known, closed, tick);
      break;
    }
  }

  let unknownDependencies = 0;
  for (let c = 0; c < count; c++) if (choice[c] === Choice.Open) unknownDependencies += start[c + 1] - start[c];
  const constraintEdge = new Int32Array(known.count).fill(-1, 0, given.count);
  constraintEdge.set(constraintEdges, given.count);
  return {
    known,
    constraintEdge,
    choice,
    impossibleEdge,
    knownBefore,
    settled: settled.subarray(0, count - numOpen),
    numOpen,
    unknownDependencies,
    rounds,
    contradiction,
    reachability,
  };
}
