import {
  API_VERSION,
  type AnomalyName,
  type Checker,
  type CheckerReason,
  type CheckerVerdict,
  type FoundAnomaly,
  type IndexedHistory,
  type LevelName,
  type OptionSpec,
  type Paper,
  type PolygraphAnswer,
  type RunContext,
  type SatisfiedCertificate,
  type UnknownVerdict,
  type Variant,
  defineChecker,
  internalViolations,
  violatedBy,
} from '@isolab/contract';
import {
  HISTORY_SHAPES,
  type HistoryShape,
  type PolygraphInput,
  checkShape,
  happenedTransactions,
} from '@isolab/history';
import { plainPolygraph } from '@isolab/polygraph';

/** An encoding, which is also a variant of the checker. */
export interface Encoding {
  readonly levels: readonly LevelName[];
  readonly help: string;
  readonly takes?: HistoryShape;
}

export type Answer =
  | { readonly status: 'satisfiable'; certificate(): SatisfiedCertificate }
  | { readonly status: 'unsatisfiable'; readonly anomaly: FoundAnomaly }
  | UnknownVerdict<CheckerReason>;

type Choice<Name extends string> = { readonly encoding: Name | 'auto' };

interface Baseline<Name extends string, Polygraphs extends Name, Limits> {
  readonly name: string;
  readonly title: string;
  readonly paper: Paper;
  readonly levels: readonly LevelName[];
  /** The first encoding for a level is its default. */
  readonly encodings: Readonly<Record<Name, Encoding>>;
  readonly help: string;
  /** The encodings for polygraphs from files, the default first. */
  readonly polygraphs: readonly Polygraphs[];
  readonly options: { readonly [Option in keyof Limits]: OptionSpec<Limits[Option]> };
  decidePolygraph(
    polygraph: PolygraphInput,
    encoding: Polygraphs,
    limits: Limits,
    context: RunContext,
  ): Promise<CheckerVerdict>;
  /** Decides a history without internal anomalies. */
  decideHistory(
    input: IndexedHistory,
    level: LevelName,
    encoding: Name,
    limits: Limits,
    context: RunContext,
  ): Promise<Answer>;
}

/** Defines the checker of a baseline: it reports internal anomalies, and the solver decides all other histories. */
export function defineBaseline<Name extends string, Polygraphs extends Name, Limits>(
  baseline: Baseline<Name, Polygraphs, Limits>,
): Checker<Limits & Choice<Name>, 'history' | 'polygraph'> {
  const { name, title, paper, levels, encodings, polygraphs, help } = baseline;
  const names = Object.keys(encodings) as Name[];
  const variants = Object.fromEntries(
    names.map((encoding) => [encoding, { help: encodings[encoding].help, options: { encoding } }]),
  ) as Record<Name, Variant<Choice<Name>>> as Record<Name, Variant<Limits & Choice<Name>>>;
  const encoding: OptionSpec<Name | 'auto'> = { default: 'auto', choices: ['auto', ...names], help };
  return defineChecker<Limits & Choice<Name>, 'history' | 'polygraph'>({
    info: {
      name,
      title,
      version: '0.1.0',
      apiVersion: API_VERSION,
      paper,
      levels,
      sound: true,
      complete: true,
      requires: ['unique-values', 'registers', 'no-unknown'],
      accepts: ['history', 'polygraph'],
      options: { encoding, ...baseline.options } as never,
      variants,
    },
    async check(input, level, options, context) {
      if (input.kind === 'polygraph') {
        const chosen = options.encoding === 'auto' ? polygraphs[0] : polygraphs.find((own) => own === options.encoding);
        if (chosen !== undefined) return baseline.decidePolygraph(input.polygraph, chosen, options, context);
        return unsupported(`${options.encoding} does not support polygraphs; use ${polygraphs.join(', ')}`);
      }
      const fit = names.filter((own) => encodings[own].levels.includes(level));
      const chosen = options.encoding === 'auto' ? fit[0]! : options.encoding;
      const problem = problemOf(chosen, encodings[chosen], input, level, fit);
      if (problem !== null) return unsupported(problem);
      context.stage('construct');
      context.tick(input.history.opKind.length);
      const anomalies = internalViolations(input, level, { findAll: context.findAll });
      if (anomalies.length > 0) return { status: 'violated', anomalies };
      const answer = await baseline.decideHistory(input, level, chosen, options, context);
      if (answer.status === 'unknown') return answer;
      if (answer.status === 'unsatisfiable') return violatedBy([answer.anomaly], 'solver');
      if (!context.certify) return { status: 'satisfied' };
      context.stage('certify');
      return { status: 'satisfied', certificate: answer.certificate() };
    },
  });
}

/** Returns the reason why an encoding does not decide a history at a level, or null. */
function problemOf(
  name: string,
  { levels, takes }: Encoding,
  { history, index }: IndexedHistory,
  level: LevelName,
  fit: readonly string[],
): string | null {
  if (!levels.includes(level)) return `${name} decides ${levels.join(', ')}, not ${level}; use ${fit.join(', ')}`;
  if (takes === undefined) return null;
  const { holds, firstTxn } = checkShape(history, index, takes);
  return holds ? null : `${name} requires ${HISTORY_SHAPES[takes]}; transaction ${firstTxn} does not fit`;
}

const unsupported = (problem: string): CheckerVerdict => ({
  status: 'unknown',
  reason: 'unsupported',
  detail: `the encoding ${problem}`,
});

/** Decides serializability through the plain polygraph of a history. */
export async function decideSerial(
  { history, index }: IndexedHistory,
  level: LevelName,
  decide: (polygraph: PolygraphInput) => Promise<PolygraphAnswer>,
  context: RunContext,
): Promise<Answer> {
  const txns = happenedTransactions(index.outcome);
  const options = { sessions: level === 'serializable', tick: (steps: number) => context.tick(steps) };
  const answer = await decide(plainPolygraph(history, index, txns, options));
  if (answer.status === 'unknown') return answer;
  if (answer.status === 'unsatisfiable') return withoutOrder('G2-item', txns);
  const order = Array.from(answer.order, (node) => txns[node]);
  return { status: 'satisfiable', certificate: () => ({ kind: 'commit-order', order }) };
}

/**
 * The solver reports only that no order of all events exists. So the anomaly is named after the cycles whose absence
 * defines the level in Adya's terms (G-SIb, G2), and there is no certificate.
 */
export const withoutOrder = (name: AnomalyName, txns: Int32Array): Answer => ({
  status: 'unsatisfiable',
  anomaly: { name, transactions: Array.from(txns) },
});
