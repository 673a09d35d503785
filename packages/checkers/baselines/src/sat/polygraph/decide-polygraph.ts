import type { PolygraphAnswer, RunContext } from '@isolab/contract';
import type { PolygraphInput } from '@isolab/history';
import type { EncodingOptions, PolygraphEncoding } from './options.ts';
import { type SolverName, solve } from '../solvers/solve.ts';
import { encodePolygraph } from './encode-polygraph.ts';

/**
 * Decides whether some choice of one edge per constraint leaves the polygraph acyclic. Throws Stop beyond its limits.
 */
export async function decidePolygraph(
  polygraph: PolygraphInput,
  encoding: PolygraphEncoding,
  solver: SolverName | 'auto',
  options: EncodingOptions,
  context: RunContext,
): Promise<PolygraphAnswer> {
  context.stage('encode');
  const { problem, orderIn } = encodePolygraph(polygraph, encoding, options, (steps) => context.tick(steps));
  const answer = await solve(problem, solver, options, context);
  return answer.status === 'satisfiable' ? { status: 'satisfiable', order: orderIn(answer.model) } : answer;
}
