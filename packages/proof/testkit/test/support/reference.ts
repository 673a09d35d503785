import {
  API_VERSION,
  type CheckInput,
  type Checker,
  type LevelName,
  type RunContext,
  type Verdict,
  defineChecker,
  internalViolations,
} from '@isolab/contract';
import type { History } from '@isolab/history';
import { decide } from '@isolab/oracle';

/** The levels at which the mutants differ from the reference checker. */
const LEVELS = [
  'cut-isolation',
  'read-committed',
  'read-atomic',
  'causal',
  'snapshot-isolation',
  'serializable',
  'strict-serializable',
] as const satisfies readonly LevelName[];

const WHATEVER_WAS_READ: readonly LevelName[] = [
  'cut-isolation',
  'snapshot-isolation',
  'serializable',
  'strict-serializable',
];
const UNCERTIFIED = { uncertified: 'unstated' } as const;

export interface Mutation {
  readonly levels?: readonly LevelName[];
  /** What it makes of the history, of the level and of its verdict before it goes on. */
  readonly seen?: (history: History, level: LevelName) => History;
  readonly level?: (level: LevelName) => LevelName;
  readonly answer?: (verdict: Verdict, input: CheckInput, level: LevelName) => Verdict;
  readonly check?: Checker['check'];
  readonly info?: Partial<Checker['info']>;
}

/** A correct checker built on the oracle, or one that is wrong as the mutation says. */
export function reference(mutation: Mutation = {}): Checker {
  return defineChecker<object>({
    info: {
      name: 'reference',
      title: 'The oracle as a checker',
      version: '1.0.0',
      apiVersion: API_VERSION,
      paper: null,
      levels: mutation.levels ?? LEVELS,
      sound: true,
      complete: true,
      requires: [['registers', 'list-append']],
      options: {},
      variants: {},
      ...mutation.info,
    },
    check: mutation.check ?? ((input, level, _, context) => answer(input, level, context, mutation)),
  });
}

function answer(input: CheckInput, level: LevelName, context: RunContext, mutation: Mutation): Verdict {
  const { seen = (history) => history, level: other = (l) => l, answer: change = (v) => v } = mutation;
  context.stage('traverse');
  context.tick(input.history.txnStatus.length);
  const { satisfied, certificate } = decide(seen(input.history, level), other(level));
  // An order of a weak level is no evidence where it takes a choice who a read saw: it does not say which.
  const isEvidence = WHATEVER_WAS_READ.includes(level) || input.index.ambiguousReads === 0;
  const verdict: Verdict = satisfied
    ? { status: 'satisfied', ...(context.certify && isEvidence ? { certificate: certificate! } : UNCERTIFIED) }
    : { status: 'violated', anomalies: anomaliesOf(input, level), uncertified: 'search' };
  return change(verdict, input, level);
}

function anomaliesOf(input: CheckInput, level: LevelName) {
  const internal = internalViolations(input, level);
  return internal.length > 0 ? internal : [{ name: 'G1c', transactions: [0] }];
}
