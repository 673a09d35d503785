import {
  API_VERSION,
  type Checker,
  type CheckerVerdict,
  type FoundAnomaly,
  type InputOf,
  type LevelName,
  type RunContext,
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

type Reference = Checker<object, 'history'>;

export interface Mutation {
  readonly levels?: readonly LevelName[];
  /** Changes of the history, of the level and of the verdict before it continues. */
  readonly seen?: (history: History, level: LevelName) => History;
  readonly level?: (level: LevelName) => LevelName;
  readonly answer?: (verdict: CheckerVerdict, input: InputOf<'history'>, level: LevelName) => CheckerVerdict;
  readonly check?: Reference['check'];
  readonly info?: Partial<Reference['info']>;
}

/** A correct checker built on the oracle, or one that is wrong as the mutation says. */
export function reference(mutation: Mutation = {}): Reference {
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

function answer(input: InputOf<'history'>, level: LevelName, context: RunContext, mutation: Mutation): CheckerVerdict {
  const { seen = (history) => history, level: other = (l) => l, answer: change = (v) => v } = mutation;
  context.stage('traverse');
  context.tick(input.history.txnStatus.length);
  const { satisfied, certificate } = decide(seen(input.history, level), other(level));
  // An order of a weak level is no evidence where it takes a choice who a read saw: it does not say which.
  const isEvidence = WHATEVER_WAS_READ.includes(level) || input.index.ambiguousReads === 0;
  const verdict: CheckerVerdict = satisfied
    ? { status: 'satisfied', ...(context.certify && isEvidence ? { certificate: certificate! } : UNCERTIFIED) }
    : { status: 'violated', anomalies: anomaliesOf(input, level), uncertified: 'search' };
  return change(verdict, input, level);
}

function anomaliesOf(input: InputOf<'history'>, level: LevelName): readonly FoundAnomaly[] {
  const internal = internalViolations(input, level);
  return internal.length > 0 ? internal : [{ name: 'G1c', transactions: [0] }];
}
