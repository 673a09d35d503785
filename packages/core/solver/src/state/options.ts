import type { ProofTrace } from './proof.ts';

export interface SolverOptions {
  /** Breaks ties between variables at random, the same way for the same seed; without it, lower numbers come first. */
  readonly seed?: number;
  /** Receives every step of the proof. */
  readonly trace?: ProofTrace;
  /** Called now and then with the number of steps since the last call. If it throws, `solve` throws; the solver stays usable. */
  readonly onTick?: (steps: number) => void;
  /**
   * A conflict that leads back over more levels than this (default: 100) takes back only one: Nadel &
   * Ryvchin, Chronological backtracking (SAT 2018). With many choices and few conflicts, the others would all be taken again.
   */
  readonly chronological?: number;
}

export interface VariableOptions {
  /** Whether the solver may decide it (by default it may). */
  readonly decision?: boolean;
}

export interface GraphOptions {
  /** Forbid only cycles of at most this weight, where edges weigh 0 or 1; without it, every cycle. */
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
