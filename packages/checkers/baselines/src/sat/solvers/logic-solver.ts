import type { RunContext } from '@isolab/contract';
import type { Formula } from '../formula/formula.ts';
import type { Problem } from '../formula/problem.ts';
import type { Answer, SolverLimits } from './answer.ts';

/** MiniSat of logic-solver, with a heap of 64 MiB and no way to stop it; formulas that cannot fit are refused. */
export async function solveWithLogicSolver(
  { formula }: Problem,
  _: SolverLimits,
  context: RunContext,
): Promise<Answer> {
  const bytes = miniSatBytes(formula);
  if (bytes > HEAP) {
    const detail = `${formula.numClauses} clauses take about ${bytes} bytes of the heap of logic-solver, which has ${HEAP}`;
    return { status: 'unknown', reason: 'memory', detail };
  }
  context.stage('load');
  const { default: MiniSat } = await import('logic-solver/minisat_wrapper.js');
  const solver = new MiniSat();
  Object.assign(solver['_C'], { print() {}, printErr() {} });
  try {
    if (formula.numVariables > 0) solver.ensureVar(formula.numVariables);
    const { clauses } = formula;
    for (let begin = 0, added = 0; begin < clauses.length;) {
      const end = clauses.indexOf(0, begin);
      if (!solver.addClause(Array.from(clauses.subarray(begin, end)))) return { status: 'unsatisfiable' };
      begin = end + 1;
      if ((++added & 4095) === 0) context.tick(4096);
    }
    context.stage('solve');
    if (!solver.solve()) return { status: 'unsatisfiable' };
  } catch (error) {
    if (!isAbort(error)) throw error;
    return { status: 'unknown', reason: 'memory', detail: `the heap of logic-solver, ${HEAP} bytes, is exhausted` };
  }
  const values = solver.getSolution();
  const model = new Uint8Array(formula.numVariables + 1);
  for (let v = 1; v < model.length; v++) model[v] = values[v] === true ? 1 : 0;
  return { status: 'satisfiable', model, order: null };
}

/** This old emscripten aborts by throwing a string. */
const isAbort = (error: unknown): boolean => typeof error === 'string' && error.startsWith('abort');

/** Peak memory of MiniSat during loading, fitted to its aborts: lists exist twice while they grow. */
const miniSatBytes = ({ numVariables, numClauses, numLiterals }: Formula): number =>
  9 * (numLiterals + numClauses) + 18 * numClauses + 90 * numVariables;

const HEAP = 2 ** 26;
