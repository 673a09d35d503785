import type { RunContext } from '@isolab/contract';
import type { Problem } from '../formula/problem.ts';
import type { Answer, SolveProblem, SolverLimits } from './answer.ts';
import { solveWithCadical } from './cadical.ts';
import { solveWithLogicSolver } from './logic-solver.ts';
import { solveWithOwn } from './own.ts';

const SOLVERS = {
  cadical: solveWithCadical,
  'logic-solver': solveWithLogicSolver,
  own: solveWithOwn,
} as const satisfies Record<string, SolveProblem>;

export type SolverName = keyof typeof SOLVERS;

/**
 * Solves a problem: by default with our own solver if it has a graph, which only this solver supports, and otherwise
 * with CaDiCaL.
 */
export async function solve(
  problem: Problem,
  wanted: SolverName | 'auto',
  limits: SolverLimits,
  context: RunContext,
): Promise<Answer> {
  const { formula, graph } = problem;
  const name = wanted === 'auto' ? (graph === null ? 'cadical' : 'own') : wanted;
  if (graph !== null && name !== 'own') {
    const detail = `the encoding needs a solver that keeps a graph acyclic, such as own, not ${name}`;
    return { status: 'unknown', reason: 'unsupported', detail };
  }
  context.count('variables', formula.numVariables);
  context.count('clauses', formula.numClauses);
  if (graph !== null) context.count('edges', graph.from.length);
  return SOLVERS[name](problem, limits, context);
}
