/** The papers' baselines on SAT solvers: an encoding makes clauses (and a graph), and a solver does the rest. */
import {
  API_VERSION,
  type CheckerVerdict,
  type FoundAnomaly,
  LEVELS,
  type RunContext,
  defineChecker,
  internalViolations,
  polygraphVerdict,
} from '@isolab/contract';
import type { PolygraphInput } from '@isolab/history';
import { dbcopFileBytes, encodeHistory } from './history/encode-history.ts';
import {
  type BaselinesSatOptions,
  OPTIONS,
  VARIANTS,
  encodingFor,
  encodingsOf,
  polygraphEncodingFor,
} from './options.ts';
import { decidePolygraph } from './polygraph/decide-polygraph.ts';
import { solve } from './solvers/solve.ts';

export const baselinesSat = defineChecker<BaselinesSatOptions, 'history' | 'polygraph'>({
  info: {
    name: 'baselines-sat',
    title: 'Baselines on SAT solvers',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'On the Complexity of Checking Transactional Consistency',
      authors: 'Ranadeep Biswas, Constantin Enea',
      venue: 'OOPSLA',
      year: 2019,
    },
    levels: LEVELS.map(({ name }) => name).filter((name) => encodingsOf(name).length > 0),
    sound: true,
    complete: true,
    requires: ['unique-values', 'registers', 'no-unknown'],
    accepts: ['history', 'polygraph'],
    options: OPTIONS,
    variants: VARIANTS,
  },
  async check(input, level, options, context) {
    if (input.kind === 'polygraph') return checkPolygraph(input.polygraph, options, context);
    const chosen = encodingFor(level, options.encoding);
    if (chosen.problem !== null) return { status: 'unknown', reason: 'unsupported', detail: chosen.problem };
    context.stage('construct');
    context.tick(input.history.opKind.length);
    const anomalies = internalViolations(input, level, { findAll: context.findAll });
    if (anomalies.length > 0) return { status: 'violated', anomalies };

    context.stage('encode');
    if (chosen.encoding === 'dbcop-sat') {
      const bytes = dbcopFileBytes(input, level, (steps) => context.tick(steps));
      context.count('satFileBytes', bytes);
      context.count('satFilesOver10GB', bytes > 1e10 ? 1 : 0);
    }
    if (options.solver === 'none') return NO_SOLVER;
    const encoded = encodeHistory(input, level, chosen.encoding, options, (steps) => context.tick(steps));
    if (encoded.problem === null) return violated(encoded.anomaly);
    const answer = await solve(encoded.problem, options.solver, options, context);
    if (answer.status === 'unknown') return answer;
    if (answer.status === 'unsatisfiable') return violated(encoded.anomaly());
    if (!context.certify) return { status: 'satisfied' };
    context.stage('certify');
    return { status: 'satisfied', certificate: encoded.certificate(answer) };
  },
});

const NO_SOLVER: CheckerVerdict = { status: 'unknown', reason: 'incomplete', detail: 'no solver was asked' };

/** For most violations a solver reports only that there are no orders. */
const violated = (anomaly: FoundAnomaly): CheckerVerdict => ({
  status: 'violated',
  anomalies: [anomaly],
  ...(anomaly.certificate === undefined && { uncertified: 'solver' }),
});

async function checkPolygraph(
  polygraph: PolygraphInput,
  options: BaselinesSatOptions,
  context: RunContext,
): Promise<CheckerVerdict> {
  const chosen = polygraphEncodingFor(options.encoding);
  if (chosen.problem !== null) return { status: 'unknown', reason: 'unsupported', detail: chosen.problem };
  if (options.solver === 'none') return NO_SOLVER;
  const answer = await decidePolygraph(polygraph, chosen.encoding, options.solver, options, context);
  return polygraphVerdict(answer, [...Array(polygraph.nodes).keys()]);
}
