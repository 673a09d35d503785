import type { CheckerReason, RunContext, UnknownVerdict } from '@isolab/contract';
import type { Problem } from '../formula/problem.ts';

export type Answer = Satisfiable | { readonly status: 'unsatisfiable' } | UnknownVerdict<CheckerReason>;

export interface Satisfiable {
  readonly status: 'satisfiable';
  /** Whether each variable is true; variables count from 1. */
  readonly model: Uint8Array;
  /** Order of the nodes of a graph without weights: all edges that are there lead forward. */
  readonly order: Int32Array | null;
}

export interface SolverLimits {
  /** Conflicts after which a solver gives up; 0: never. */
  readonly conflicts: number;
}

export type SolveProblem = (problem: Problem, limits: SolverLimits, context: RunContext) => Promise<Answer>;

export const outOfConflicts = (conflicts: number): UnknownVerdict<CheckerReason> => ({
  status: 'unknown',
  reason: 'steps',
  detail: `the solver had ${conflicts} conflicts`,
});
