import type { CheckerReason, RunContext, UnknownVerdict } from '@isolab/contract';
import type { Problem } from '../formula/problem.ts';

export type Answer = Satisfiable | { readonly status: 'unsatisfiable' } | UnknownVerdict<CheckerReason>;

export interface Satisfiable {
  readonly status: 'satisfiable';
  /** 1 for each true variable; variables count from 1. */
  readonly model: Uint8Array;
  /** Order of the nodes of an unweighted graph in which all chosen edges lead forward. */
  readonly order: Int32Array | null;
}

export interface SolverLimits {
  /** Number of conflicts after which a solver gives up; 0 for no limit. */
  readonly conflicts: number;
}

export type SolveProblem = (problem: Problem, limits: SolverLimits, context: RunContext) => Promise<Answer>;

export const outOfConflicts = (conflicts: number): UnknownVerdict<CheckerReason> => ({
  status: 'unknown',
  reason: 'steps',
  detail: `the solver reached its limit of ${conflicts} conflicts`,
});
