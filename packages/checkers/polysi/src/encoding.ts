import { Choice, DependencyType, type Pruning, beginEvent, commitEvent } from '@isolab/polygraph';
import { ProofTrace, Solver, negative, positive } from '@isolab/solver';
import type { Problem } from './problem/problem.ts';

/** The clauses and graphs of an open polygraph in a solver. */
export interface Encoding {
  readonly solver: Solver;
  /** Variable of each constraint, true for its `either` side, or −1 if the constraint is settled. */
  readonly variable: Int32Array;
  /** Dependency of each edge of the solver's graph, or −1. */
  readonly dependency: readonly number[];
  readonly trace: ProofTrace;
  readonly numEdges: number;
}

interface EncodingOptions {
  readonly seed: number;
  readonly tick: (steps: number) => void;
}

/**
 * The induced graph with every node split in two (see InducedReachability): a known dependency is one edge, a possible
 * dependency is one edge with the literal of its side, and nothing is composed. Edges implied by known edges are left
 * out. Of the readers in one session that must precede a writer only the last gets an edge, since it follows the
 * others.
 */
export function encodeLayers(problem: Problem, pruning: Pruning, { seed, tick }: EncodingOptions): Encoding {
  const { versions, constraints } = problem.polygraph;
  const { known, constraintEdge, choice, reachability } = pruning;
  const trace = new ProofTrace();
  const solver = new Solver({ seed, trace, onTick: tick });
  const graph = solver.addGraph(2 * versions.numNodes);
  const dependency: number[] = [];
  const addEdge = (from: number, to: number, d: number, literal?: number): void => {
    dependency[solver.addEdge(graph, from, to, literal)] = d;
  };
  for (let node = 0; node < versions.numNodes; node++) addEdge(beginEvent(node), commitEvent(node), -1);
  for (const e of reachability.needed) {
    const isAnti = known.type[e] === DependencyType.RW;
    const d = constraintEdge[e] < 0 ? e : problem.numKnown + constraintEdge[e];
    addEdge(
      isAnti ? beginEvent(known.from[e]) : commitEvent(known.from[e]),
      isAnti ? commitEvent(known.to[e]) : beginEvent(known.to[e]),
      d,
    );
  }

  const variable = new Int32Array(constraints.count).fill(-1);
  const { from, to, type } = constraints.edges;
  const needed = new NeededEdges(problem);
  for (let c = 0; c < constraints.count; c++) {
    if (choice[c] !== Choice.Open) continue;
    variable[c] = solver.newVariable();
    const sides = [
      [constraints.start[c], constraints.middle[c], positive(variable[c])],
      [constraints.middle[c], constraints.start[c + 1], negative(variable[c])],
    ];
    for (const [first, end, literal] of sides) {
      tick(end - first);
      for (const e of needed.among(first, end)) {
        const isAnti = type[e] === DependencyType.RW;
        const leaves = isAnti ? beginEvent(from[e]) : commitEvent(from[e]);
        const arrives = isAnti ? commitEvent(to[e]) : beginEvent(to[e]);
        if (!reachability.reaches(leaves, arrives)) addEdge(leaves, arrives, problem.numKnown + e, literal);
      }
    }
  }
  return { solver, variable, dependency, trace, numEdges: dependency.length };
}

/** Picks the edges of a side that do not follow from its other edges by session order. */
export class NeededEdges {
  readonly #problem: Problem;
  readonly #latest = new Map<number, number>(); // by session: the edge of its last reader

  constructor(problem: Problem) {
    this.#problem = problem;
  }

  among(first: number, end: number): number[] {
    const { versions, constraints } = this.#problem.polygraph;
    const { from, type } = constraints.edges;
    const needed = [first];
    if (end - first === 1) return needed;
    this.#latest.clear();
    for (let e = first; e < end; e++) {
      // All WW edges of a side have the same ends, and its first edge is a WW edge or its only edge.
      if (type[e] !== DependencyType.RW) continue;
      const session = versions.session[from[e]];
      const known = this.#latest.get(session);
      if (known === undefined || from[known] < from[e]) this.#latest.set(session, e);
    }
    for (const e of this.#latest.values()) needed.push(e);
    return needed;
  }
}
