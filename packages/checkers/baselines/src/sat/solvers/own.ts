import type { RunContext } from '@isolab/contract';
import { Solver, fromDimacs } from '@isolab/solver';
import type { Formula } from '../formula/formula.ts';
import type { GraphProblem, Problem } from '../formula/problem.ts';
import { type Answer, type SolverLimits, outOfConflicts } from './answer.ts';

/** Our own solver, which replaces MonoSAT for problems with a graph. */
export async function solveWithOwn(
  { formula, graph }: Problem,
  { conflicts }: SolverLimits,
  context: RunContext,
): Promise<Answer> {
  context.stage('load');
  const onTick = (steps: number): void => context.tick(steps);
  const solver = new Solver({ onTick });
  for (let v = 0; v < formula.numVariables; v++) solver.newVariable();
  if (!addClauses(solver, formula, onTick)) return { status: 'unsatisfiable' };
  const graphId = graph === null ? -1 : addGraph(solver, graph);
  context.stage('solve');
  const status = solver.solve([], conflicts > 0 ? conflicts : Infinity);
  context.count('decisions', solver.statistics.decisions);
  context.count('conflicts', solver.statistics.conflicts);
  if (status === 'unknown') return outOfConflicts(conflicts);
  if (status === 'unsatisfiable') return { status };
  const model = new Uint8Array(formula.numVariables + 1);
  for (let v = 1; v < model.length; v++) model[v] = solver.value(v - 1) ? 1 : 0;
  return { status, model, order: graph === null || graph.weighted ? null : solver.order(graphId) };
}

function addClauses(solver: Solver, { clauses }: Formula, tick: (steps: number) => void): boolean {
  let literals: number[] = [];
  let loaded = 0;
  for (let i = 0; i < clauses.length; i++) {
    if (clauses[i] !== 0) {
      literals.push(fromDimacs(clauses[i]));
      continue;
    }
    if (!solver.addClause(literals)) return false;
    literals = [];
    if ((++loaded & 4095) === 0) tick(4096);
  }
  return true;
}

function addGraph(solver: Solver, { numNodes, weighted, from, to, literal, weight }: GraphProblem): number {
  const graph = solver.addGraph(numNodes, weighted ? { weightLimit: 1 } : {});
  for (let e = 0; e < from.length; e++) {
    const condition = literal[e] === 0 ? undefined : fromDimacs(literal[e]!);
    solver.addEdge(graph, from[e]!, to[e]!, condition, weight[e] === 1 ? 1 : 0);
  }
  return graph;
}
