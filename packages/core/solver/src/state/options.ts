/** Options and counters of the solver. */
import type { ProofTrace } from './proof.ts';

export interface SolverOptions {
  /**
   * Breaks ties between variables at random, reproducibly for a given seed. Without a seed, lower numbers come first.
   */
  readonly seed?: number;
  /** Receives every step of the proof. */
  readonly trace?: ProofTrace;
  /**
   * Called from time to time with the number of steps since the last call. If it throws, `solve` throws; the solver
   * stays usable.
   */
  readonly onTick?: (steps: number) => void;
  /**
   * A conflict that would backtrack more levels than this (default: 100) backtracks only one level: Nadel & Ryvchin,
   * Chronological backtracking (SAT 2018). With many decisions and few conflicts, the other levels would all be
   * repeated.
   */
  readonly chronological?: number;
}

export interface VariableOptions {
  /** Whether the solver may decide the variable (default: true). */
  readonly decision?: boolean;
}

export interface GraphOptions {
  /** Forbids only cycles of at most this weight, where edges have weight 0 or 1; without it, all cycles. */
  readonly weightLimit?: 1;
}

export interface Statistics {
  decisions: number;
  conflicts: number;
  propagations: number;
  restarts: number;
  /** Number of conflicts that were cycles. */
  theoryConflicts: number;
  /** Number of literals made false because their edges would close a cycle. */
  theoryPropagations: number;
  edgesInserted: number;
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
