import {
  API_VERSION,
  type AnomalyName,
  type CheckerVerdict,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  defineChecker,
  internalViolations,
  polygraphVerdict,
} from '@isolab/contract';
import { happenedTransactions } from '@isolab/history';
import { plainPolygraph, registerVersions } from '@isolab/polygraph';
import { type EventEncoding, EVENT_ENCODINGS, decideEvents } from './events/decide-events.ts';
import {
  ENCODINGS,
  type Encoding,
  OPTIONS,
  SERIAL_LEVELS,
  SNAPSHOT_LEVELS,
  type SmtOptions,
  VARIANTS,
} from './options.ts';
import { decidePolygraph, type PolygraphEncoding, POLYGRAPH_ENCODINGS } from './polygraph/decide-polygraph.ts';
import type { Limits } from './z3/solve.ts';

/** The definition of each level, written for Z3. Viper (EuroSys 2023, section 7.1) and CobraSAT compare with these. */
export const baselinesSmt = defineChecker<SmtOptions, 'history' | 'polygraph'>({
  info: {
    name: 'baselines-smt',
    title: 'Baselines on Z3',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Viper: A Fast Snapshot Isolation Checker',
      authors: 'Jian Zhang, Ye Ji, Shuai Mu, Cheng Tan',
      venue: 'EuroSys',
      year: 2023,
    },
    levels: [...SNAPSHOT_LEVELS, ...SERIAL_LEVELS],
    sound: true,
    complete: true,
    requires: ['unique-values', 'registers', 'no-unknown'],
    accepts: ['history', 'polygraph'],
    options: OPTIONS,
    variants: VARIANTS,
  },
  async check(input, level, options, context) {
    context.stage('construct');
    const encoding = encodingFor(level, options.encoding);
    if (encoding === null) return unfit(level, options.encoding as Encoding);
    const limits = { seconds: options.solveSeconds };
    if (input.kind === 'polygraph')
      return polygraphVerdict(await decidePolygraph(input.polygraph, encoding as PolygraphEncoding, limits, context));
    context.tick(input.history.opKind.length);
    const anomalies = internalViolations(input, level, { findAll: context.findAll });
    if (anomalies.length > 0) return { status: 'violated', anomalies };
    const txns = happenedTransactions(input.index.outcome);
    return isFor(EVENT_ENCODINGS, encoding)
      ? checkEvents(input, txns, level, encoding, limits, context)
      : checkPolygraph(input, txns, level, encoding as PolygraphEncoding, limits, context);
  },
});

async function checkEvents(
  input: IndexedHistory,
  txns: Int32Array,
  level: LevelName,
  encoding: EventEncoding,
  limits: Limits,
  context: RunContext,
): Promise<CheckerVerdict> {
  const { history, index } = input;
  const versions = registerVersions(history, index, { combine: false });
  const sessions = level === 'snapshot-isolation';
  const answer = await decideEvents({ history, versions, txns, sessions }, encoding, limits, context);
  if (answer.status === 'unknown') return answer;
  if (answer.status === 'unsatisfiable') return violated('G-nonadjacent', txns);
  if (!context.certify) return { status: 'satisfied' };
  return { status: 'satisfied', certificate: { kind: 'event-order', events: answer.events } };
}

async function checkPolygraph(
  input: IndexedHistory,
  txns: Int32Array,
  level: LevelName,
  encoding: PolygraphEncoding,
  limits: Limits,
  context: RunContext,
): Promise<CheckerVerdict> {
  const polygraph = plainPolygraph(input.history, input.index, txns, {
    sessions: level === 'serializable',
    tick: (steps) => context.tick(steps),
  });
  const answer = await decidePolygraph(polygraph, encoding, limits, context);
  if (answer.status === 'unknown') return answer;
  if (answer.status === 'unsatisfiable') return violated('G2-item', txns);
  if (!context.certify) return { status: 'satisfied' };
  const order = Array.from(answer.order, (node) => txns[node]);
  return { status: 'satisfied', certificate: { kind: 'commit-order', order } };
}

/**
 * The solver says only that there is no order of all that happened. So the name is that of the cycles whose absence
 * defines the level in Adya's terms (G-SIb, G2), and there is no certificate.
 */
const violated = (name: AnomalyName, txns: Int32Array): CheckerVerdict => ({
  status: 'violated',
  anomalies: [{ name, transactions: Array.from(txns) }],
  uncertified: 'solver',
});

function encodingFor(level: LevelName, wanted: Encoding | 'auto'): Encoding | null {
  const fit: readonly Encoding[] = isFor(SNAPSHOT_LEVELS, level) ? EVENT_ENCODINGS : POLYGRAPH_ENCODINGS;
  if (wanted === 'auto') return fit[0]!;
  return fit.includes(wanted) ? wanted : null;
}

function unfit(level: LevelName, encoding: Encoding): CheckerVerdict {
  const known = isFor(ENCODINGS, encoding);
  const levels = isFor(EVENT_ENCODINGS, encoding) ? SNAPSHOT_LEVELS : SERIAL_LEVELS;
  const detail = known
    ? `the encoding ${encoding} decides ${levels.join(' and ')}, not ${level}`
    : `unknown encoding ${String(encoding)}`;
  return { status: 'unknown', reason: 'unsupported', detail };
}

const isFor = <Name extends string>(names: readonly Name[], name: string): name is Name =>
  (names as readonly string[]).includes(name);
