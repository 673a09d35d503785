/** The papers' baselines on SAT solvers: an encoding generates clauses (and a graph), and a solver decides them. */
import { type CheckerReason, LEVELS, type UnknownVerdict, polygraphVerdict } from '@isolab/contract';
import { defineBaseline } from '../baseline.ts';
import { dbcopFileBytes, encodeHistory } from './history/encode-history.ts';
import { ENCODINGS, type EncodingName } from './history/encodings.ts';
import { decidePolygraph } from './polygraph/decide-polygraph.ts';
import { type EncodingOptions, POLYGRAPH_ENCODINGS, type PolygraphEncoding } from './polygraph/options.ts';
import { type SolverName, solve } from './solvers/solve.ts';

export interface SatOptions extends EncodingOptions {
  readonly solver: SolverName | 'auto' | 'none';
}

export const baselinesSat = defineBaseline<EncodingName, PolygraphEncoding, SatOptions>({
  name: 'baselines-sat',
  title: 'Baselines on SAT solvers',
  paper: {
    title: 'On the Complexity of Checking Transactional Consistency',
    authors: 'Ranadeep Biswas, Constantin Enea',
    venue: 'OOPSLA',
    year: 2019,
  },
  levels: LEVELS.map(({ name }) => name).filter((name) =>
    Object.values(ENCODINGS).some(({ levels }) => levels.some((level) => level === name)),
  ),
  encodings: ENCODINGS,
  help: 'Select the encoding; auto: asi-mono at adya-snapshot-isolation, dbcop-sat at other levels, mono for polygraphs.',
  polygraphs: POLYGRAPH_ENCODINGS,
  options: {
    solver: {
      default: 'auto',
      help: 'Select the solver; auto: cadical, or own for encodings that need a solver with graphs (…mono…); none: only measure the formula (dbcop-sat).',
      choices: ['auto', 'cadical', 'logic-solver', 'own', 'none'],
    },
    xor: {
      default: true,
      help: 'Add redundant clauses that make the two sides of a constraint exclude each other.',
    },
    sparse: {
      default: false,
      help: 'Create variables only for pairs that an edge may join, not for all (binary-label, unary-label).',
    },
    conflicts: { default: 0, help: 'Give up after this many conflicts; 0: never. logic-solver has no such limit.' },
    maxClauses: {
      default: 15_000_000,
      help: 'Limit the clauses of a formula; CaDiCaL’s heap holds few more.',
    },
    maxBytes: {
      default: 2 ** 29,
      help: 'Limit the bytes of the clauses, or of a closure (the papers had 10 GB).',
    },
  },
  async decidePolygraph(polygraph, encoding, options, context) {
    if (options.solver === 'none') return NO_SOLVER;
    const answer = await decidePolygraph(polygraph, encoding, options.solver, options, context);
    return polygraphVerdict(answer, [...Array(polygraph.nodes).keys()]);
  },
  async decideHistory(input, level, encoding, options, context) {
    const tick = (steps: number): void => context.tick(steps);
    context.stage('encode');
    if (encoding === 'dbcop-sat') {
      const bytes = dbcopFileBytes(input, level, tick);
      context.count('satFileBytes', bytes);
      context.count('satFilesOver10GB', bytes > 1e10 ? 1 : 0);
    }
    if (options.solver === 'none') return NO_SOLVER;
    const encoded = encodeHistory(input, level, encoding, options, tick);
    if (encoded.problem === null) return { status: 'unsatisfiable', anomaly: encoded.anomaly };
    const answer = await solve(encoded.problem, options.solver, options, context);
    if (answer.status === 'unknown') return answer;
    if (answer.status === 'unsatisfiable') return { status: 'unsatisfiable', anomaly: encoded.anomaly() };
    return { status: 'satisfiable', certificate: () => encoded.certificate(answer) };
  },
});

const NO_SOLVER: UnknownVerdict<CheckerReason> = {
  status: 'unknown',
  reason: 'incomplete',
  detail: 'no solver was run',
};
