import type { ProofTrace } from './proof.ts';

export interface SolverOptions {
  /** Breaks ties between variables at random, the same way for the same seed; without it, lower numbers come first. */
  readonly seed?: number;
  /** Told every step of the proof. */
  readonly trace?: ProofTrace;
  /** How many conflicts one call of `solve` may have before it answers `unknown`. */
  readonly conflicts?: number;
  /** How many literals one call of `solve` may propagate before it answers `unknown`. */
  readonly propagations?: number;
  /** Called now and then with the number of steps since the last call. If it throws, `solve` throws; the solver stays usable. */
  readonly onTick?: (steps: number) => void;
  /**
   * The value of a variable that never had one and has no phase of its own. `order`, the default: the one whose edges lead
   * forward in the current topological order (VeriStrong's choice), false for a variable without edges.
   */
  readonly phase?: 'order' | 'false' | 'true';
  /**
   * Whether literals are made false whose edge would close a cycle, where the search for cycles passes by them anyway (they
   * are, unless told otherwise).
   */
  readonly propagateEdges?: boolean;
  /**
   * A conflict that leads back over more levels than this (100, unless told otherwise) takes back only one: Nadel &
   * Ryvchin, Chronological backtracking (SAT 2018). With many choices and few conflicts, the others would all be taken again.
   */
  readonly chronological?: number;
  /** When to start again from above: as Glucose does, or after Luby's sequence. Glucose's, unless told otherwise. */
  readonly restarts?: 'glucose' | 'luby';
}

export interface VariableOptions {
  /** Whether the solver may decide it (it does, unless told otherwise). */
  readonly decision?: boolean;
  /** The value that is tried first. */
  readonly phase?: boolean;
}

export interface GraphOptions {
  /**
   * Edges weigh 0 or 1, and only cycles up to this weight are forbidden: those with at most one edge of weight 1. Without
   * it, every cycle is.
   */
  readonly weightLimit?: 1;
}

export interface Statistics {
  decisions: number;
  conflicts: number;
  propagations: number;
  restarts: number;
  /** Conflicts that were cycles. */
  theoryConflicts: number;
  /** Literals made false because their edge would close a cycle. */
  theoryPropagations: number;
  /** Edges that were put into a graph. */
  edgesInserted: number;
  /** Nodes visited by the search for cycles. */
  nodesVisited: number;
  learned: number;
  deleted: number;
}

export function zeroStatistics(): Statistics {
  return {
    decisions: 0,
    conflicts: 0,
    propagations: 0,
    restarts: 0,
    theoryConflicts: 0,
    theoryPropagations: 0,
    edgesInserted: 0,
    nodesVisited: 0,
    learned: 0,
    deleted: 0,
  };
}
