import {
  API_VERSION,
  type AnomalyName,
  type FoundAnomaly,
  type LevelName,
  type RunContext,
  type SatisfiedCertificate,
  defineChecker,
  internalViolations,
} from '@isolab/contract';
import {
  type History,
  findReversed,
  locateOperation,
  nameTransaction,
  showOperation,
  transactionOf,
} from '@isolab/history';
import { findCycles } from './cycles.ts';
import { type Dependencies, buildDependencies } from './dependencies.ts';
import { anomalyOfCycle, anomalyOfDivergence, anomalyOfPair } from './explain.ts';
import { RealTimeCheck, chainsOf, findCircles, findNoSingleKey } from './linearizability.ts';
import { eventOrder, serialOrder } from './orders.ts';
import { AllPairs, OnTimeLine, type RealTime, timeLineOf } from './real-time.ts';
import type { Scope, TypedEdge } from './typed-edges.ts';

export interface MtcOptions {
  readonly realTime: 'time-line' | 'all-pairs';
}

/**
 * MTC (section IV): mini-transactions read before they write, so reads determine all dependencies; MTC looks for a
 * cycle.
 */
export const mtc = defineChecker<MtcOptions>({
  info: {
    name: 'mtc',
    title: 'MTC',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Boosting End-to-End Database Isolation Checking via Mini-Transactions',
      authors: 'Hengfeng Wei, Jiang Xiao, Na Yang, Si Liu, Zijing Yin, Yuxing Chen, Anqun Pan',
      venue: 'ICDE',
      year: 2025,
    },
    levels: ['snapshot-isolation', 'serializable', 'strict-serializable', 'linearizable'],
    sound: true,
    complete: true,
    requires: ['registers', 'mini-transactions', 'unique-values', 'no-unknown'],
    requiresAt: { linearizable: ['single-keys'] },
    options: {
      realTime: {
        default: 'time-line',
        choices: ['time-line', 'all-pairs'],
        help: 'Derive real time at strict-serializable from a time line in O(n log n), or from all pairs in O(n²), as published.',
      },
    },
    variants: {
      'all-pairs': {
        help: 'Derive real time from all pairs of transactions, as published.',
        options: { realTime: 'all-pairs' },
      },
    },
  },
  check(input, level, options, context) {
    context.stage('construct');
    context.tick(input.history.opKind.length);
    const internal = internalViolations(input, level, context).map(withPattern);
    if (internal.length > 0 && !context.findAll) return { status: 'violated', anomalies: internal };
    const dependencies = buildDependencies(input.history, input.index);
    const refusal = refusalOf(dependencies, level);
    if (refusal !== null)
      return internal.length > 0
        ? { status: 'violated', anomalies: internal }
        : { status: 'unknown', reason: 'unsupported', detail: refusal };

    const { divergences } = dependencies;
    const found = [
      ...internal,
      ...(context.findAll ? divergences : divergences.slice(0, 1)).map((divergence) =>
        withPattern(anomalyOfDivergence(dependencies, divergence, context.certify)),
      ),
    ];
    if (found.length > 0 && !context.findAll) return { status: 'violated', anomalies: found };
    context.stage('traverse');
    const answer =
      level === 'linearizable'
        ? checkChains(dependencies, context)
        : checkGraph(dependencies, level as GraphLevel, options, context);
    const anomalies = [...found, ...answer.anomalies.map(withPattern)];
    if (anomalies.length > 0) return { status: 'violated', anomalies };
    return { status: 'satisfied', ...(answer.certificate && { certificate: answer.certificate }) };
  },
});

type GraphLevel = keyof typeof SCOPES;

/** Violations to look for, narrow cycles first. */
const SCOPES = {
  'snapshot-isolation': ['dependencies', 'non-adjacent'],
  serializable: ['dependencies', 'non-adjacent', 'serial'],
  'strict-serializable': ['dependencies', 'non-adjacent', 'serial', 'strict'],
} as const satisfies Partial<Record<LevelName, readonly Scope[]>>;

interface Answer {
  readonly anomalies: readonly FoundAnomaly[];
  readonly certificate?: SatisfiedCertificate;
}

/** The acyclicity check that CheckSER, CheckSSER and CheckSI share. */
function checkGraph(
  dependencies: Dependencies,
  level: GraphLevel,
  { realTime }: MtcOptions,
  context: RunContext,
): Answer {
  const { certify, findAll } = context;
  const tick = (steps: number): void => context.tick(steps);
  const { happened, numHappened } = dependencies;
  const isPlaced = new Uint8Array(happened.length);
  if (level === 'snapshot-isolation') {
    const events = eventOrder(dependencies, tick);
    if (events.length === 2 * numHappened)
      return satisfied(context, () => ({ kind: 'event-order', events: Array.from(events) }));
    for (const event of events) if (event % 2 === 1) isPlaced[event >> 1] = 1;
  } else {
    const inTime = level === 'strict-serializable' ? realTimeOf(dependencies, realTime, tick) : null;
    const order = serialOrder(dependencies, inTime, tick);
    if (order.length === numHappened)
      return satisfied(context, () => ({ kind: 'commit-order', order: Array.from(order) }));
    for (const t of order) isPlaced[t] = 1;
  }
  context.stage('explain');
  const unplaced = membersOf(happened).filter((t) => isPlaced[t] === 0);
  tick(unplaced.length);
  const cycles = findCycles(dependencies, unplaced, SCOPES[level], findAll);
  return { anomalies: cycles.map((cycle) => anomalyOfCycle(dependencies, cycle, certify)) };
}

function satisfied(context: RunContext, certificate: () => SatisfiedCertificate): Answer {
  if (!context.certify) return { anomalies: [] };
  context.stage('certify');
  return { anomalies: [], certificate: certificate() };
}

function realTimeOf(
  { history, happened }: Dependencies,
  realTime: MtcOptions['realTime'],
  tick: (steps: number) => void,
): RealTime | null {
  const line = timeLineOf(history, membersOf(happened));
  if (line === null) return null;
  return realTime === 'all-pairs' ? new AllPairs(history, line, tick) : new OnTimeLine(line, happened.length);
}

function membersOf(set: Uint8Array): Int32Array {
  const members = new Int32Array(set.length);
  let count = 0;
  for (let t = 0; t < set.length; t++) if (set[t] === 1) members[count++] = t;
  return members.subarray(0, count);
}

function checkChains(dependencies: Dependencies, context: RunContext): Answer {
  const { certify, findAll } = context;
  const chains = chainsOf(dependencies);
  context.tick(chains.order.length);
  const inTime = new RealTimeCheck(dependencies, chains);
  const steps: readonly [AnomalyName, () => readonly TypedEdge[][]][] = [
    ['G1c', () => findCircles(dependencies, chains)],
    ['stale-read', () => inTime.findStale(findAll)],
    ['session-guarantee-violation', () => inTime.findOutOfSession(findAll)],
  ];
  const anomalies: FoundAnomaly[] = [];
  for (const [name, find] of steps) {
    anomalies.push(...find().map((cycle) => anomalyOfPair(dependencies, cycle, name, certify)));
    if (anomalies.length > 0 && !findAll) return { anomalies: anomalies.slice(0, 1) };
  }
  return anomalies.length > 0
    ? { anomalies }
    : satisfied(context, () => ({ kind: 'commit-order', order: Array.from(inTime.finalOrder()) }));
}

/** Reason why the algorithm cannot decide a history of the required shape. */
function refusalOf({ history, happened, unguided }: Dependencies, level: LevelName): string | null {
  if (unguided >= 0)
    return `The version that ${tell(history, unguided)} overwrote is unknown, because the read before it was never answered.`;
  if (level !== 'linearizable' && level !== 'strict-serializable') return null;
  const reversed = findReversed(history);
  if (reversed >= 0) return `${nameTransaction(history, reversed)} returned before it was called.`;
  const other = level === 'linearizable' ? findNoSingleKey(history, happened) : -1;
  if (other < 0) return null;
  return `Linearizability needs operations on one key with known results, but found ${tell(history, other)}.`;
}

const tell = (history: History, op: number): string =>
  `${showOperation(history, op)} in ${nameTransaction(history, transactionOf(history, op))} (${locateOperation(history, op)})`;

/** Maps anomaly names of the registry to the paper's names (Table I). */
const PATTERNS: Readonly<Record<string, string>> = {
  'thin-air-read': 'ThinAirRead',
  G1a: 'AbortedRead',
  'future-read': 'FutureRead',
  'not-my-last-write': 'NotMyLastWrite',
  'not-my-own-write': 'NotMyOwnWrite',
  G1b: 'IntermediateRead',
  'non-repeatable-read': 'NonRepeatableReads',
  'session-guarantee-violation': 'SessionGuaranteeViolation',
  'non-monotonic-read': 'NonMonotonicRead',
  'fractured-read': 'FracturedRead',
  'causality-violation': 'CausalityViolation',
  'G-nonadjacent': 'LongFork',
  'lost-update': 'LostUpdate',
  'G2-item': 'WriteSkew',
};

/** Adds the paper's name; other cycles (G1c) and cycles with real time are not among its fourteen patterns. */
function withPattern(anomaly: FoundAnomaly): FoundAnomaly {
  const pattern = PATTERNS[anomaly.name];
  return pattern === undefined ? anomaly : { ...anomaly, pattern };
}
