import type { RunContext, UnknownVerdict } from '@isolab/contract';
import type { Problem } from '../problem.ts';

export type Answer = Satisfiable | { readonly status: 'unsatisfiable' } | UnknownVerdict;

export interface Satisfiable {
  readonly status: 'satisfiable';
  /** By variable, from 1: whether it is true. */
  readonly model: Uint8Array;
  /** Of a graph without weights: its nodes, such that all edges that are there lead forward. */
  readonly order: Int32Array | null;
}

export interface SolverLimits {
  /** Conflicts after which a solver gives up; 0: never. */
  readonly conflicts: number;
}

export type SolveProblem = (problem: Problem, limits: SolverLimits, context: RunContext) => Promise<Answer>;

export const outOfConflicts = (conflicts: number): UnknownVerdict => ({
  status: 'unknown',
  reason: 'steps',
  detail: `the solver had ${conflicts} conflicts`,
});
