import type { RunContext } from '@isolab/contract';
import type { Formula } from '../formula.ts';
import type { Problem } from '../problem.ts';
import type { Answer, SolverLimits } from './answer.ts';

/**
 * MiniSat as logic-solver brings it: compiled to JavaScript, with a heap of 64 MiB that cannot grow. It knows no limit
 * and cannot be asked to stop, so that a run of it that must end belongs into a process of its own. A formula that
 * surely does not fit is refused; learned clauses may exhaust the heap of others, which then aborts.
 */
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

/** This old emscripten aborts by throwing a text. */
const isAbort = (error: unknown): boolean => typeof error === 'string' && error.startsWith('abort');

/**
 * What MiniSat takes at the worst moment of loading, fitted to where it aborts (1.2 million clauses of three literals;
 * 0.73 million with 300,000 variables): arena and watch lists grow by copying, so that for a while there are two of them.
 */
const miniSatBytes = ({ numVariables, numClauses, numLiterals }: Formula): number =>
  9 * (numLiterals + numClauses) + 18 * numClauses + 90 * numVariables;

const HEAP = 2 ** 26;
