import {
  API_VERSION,
  type CheckerVerdict,
  type FoundAnomaly,
  type IndexedHistory,
  type RunContext,
  Stop,
  defaultsOf,
  defineChecker,
  internalViolations,
  listViolation,
} from '@isolab/contract';
import { type ListVersions, OpKind, listVersions } from '@isolab/history';
import {
  EventRows,
  type GeneralizedPolygraph,
  type Pruning,
  SessionVectors,
  type VersionTable,
  generalizedPolygraph,
  listVersionTable,
  prunePolygraph,
  registerVersionTable,
} from '@isolab/polygraph';
import { type Encoding, encodeLayers } from './encoding.ts';
import { eventOrder } from './event-order.ts';
import { encodeInduced } from './induced.ts';
import type { Interpretation } from './interpret/scenario.ts';
import { OPTIONS, type PolysiOptions, VARIANTS } from './options.ts';
import { Problem } from './problem/problem.ts';
import { refutation } from './refutation.ts';
import { certificateOf } from './certificate.ts';
import { minimalCore } from './problem/core.ts';
import { classify } from './interpret/classify.ts';
import { interpret } from './interpret/interpret.ts';
import { Reasons } from './reasons.ts';

/** PolySI: snapshot isolation through generalized polygraphs, pruning, and a solver for graphs that must be acyclic. */
export const polysi = defineChecker<PolysiOptions>({
  info: {
    name: 'polysi',
    title: 'PolySI',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Efficient Black-box Checking of Snapshot Isolation in Databases',
      authors: 'Kaile Huang, Si Liu, Zhenge Chen, Hengfeng Wei, David Basin, Haixiang Li, Anqun Pan',
      venue: 'PVLDB 16(6)',
      year: 2023,
    },
    levels: ['snapshot-isolation'],
    sound: true,
    complete: true,
    requires: ['unique-values', 'no-unknown', ['registers', 'list-append']],
    options: OPTIONS,
    variants: VARIANTS,
  },
  check: (input, _, options, context) => checkSI(input, options, context),
  interpret: (input, level, context) => (level === 'snapshot-isolation' ? interpretViolation(input, context) : null),
});

/** Algorithm 1, CheckSI. */
function checkSI(input: IndexedHistory, options: PolysiOptions, context: RunContext): CheckerVerdict {
  context.stage('construct');
  context.tick(input.history.opKind.length);
  const anomalies = internalViolations(input, 'snapshot-isolation', context);
  if (anomalies.length > 0 && !context.findAll) return { status: 'violated', anomalies };
  const lists = listsOf(input);
  if (lists !== null && lists.conflicts.length > 0) {
    const conflicts = context.findAll ? lists.conflicts : lists.conflicts.slice(0, 1);
    anomalies.push(...conflicts.map((conflict) => listViolation(input.history, lists, conflict)));
    return { status: 'violated', anomalies };
  }

  const found = solve(input, lists, options, context);
  if (found.isSatisfied) {
    if (anomalies.length > 0) return { status: 'violated', anomalies };
    if (!context.certify) return { status: 'satisfied' };
    if (options.initial === 'writer') return { status: 'satisfied', uncertified: 'as-published' };
    context.stage('certify');
    const { problem, pruning, encoding } = found;
    const choice = (c: number): boolean => encoding!.solver.value(encoding!.variable[c]);
    return {
      status: 'satisfied',
      certificate: { kind: 'event-order', events: eventOrder(problem, pruning, choice, input.index) },
    };
  }
  anomalies.push(explainViolation(input, lists, options, found, context).anomaly);
  return { status: 'violated', anomalies };
}

interface Found {
  readonly isSatisfied: boolean;
  readonly problem: Problem;
  readonly pruning: Pruning;
  readonly encoding: Encoding | null;
}

function solve(input: IndexedHistory, lists: ListVersions | null, options: PolysiOptions, context: RunContext): Found {
  const tick = (steps: number): void => context.tick(steps);
  const versions = versionsOf(input, lists, { initialFirst: options.initial === 'first' });
  const polygraph = generalizedPolygraph(versions, { compact: options.compact, tick });
  countPolygraph(polygraph, context);

  context.stage('prune');
  const closure = closureOf(versions, options, context);
  const pruning = prunePolygraph(polygraph, { stop: options.stop, enabled: options.prune, closure, tick });
  context.count('rounds', pruning.rounds);
  context.count('constraintsAfter', pruning.numOpen);
  context.count('unknownDependenciesAfter', pruning.unknownDependencies);
  const problem = new Problem(polygraph);
  const isRefuted = pruning.contradiction !== null || !pruning.reachability.isAcyclic;
  if (isRefuted || pruning.numOpen === 0) return { isSatisfied: !isRefuted, problem, pruning, encoding: null };

  context.stage('encode');
  const encode = options.encoding === 'layers' ? encodeLayers : encodeInduced;
  const encoding = encode(problem, pruning, { seed: options.seed, tick });
  context.count('edges', encoding.numEdges);
  context.count('variables', encoding.solver.numVariables);

  context.stage('solve');
  const isSatisfied = encoding.solver.solve() === 'satisfiable';
  const { decisions, conflicts } = encoding.solver.statistics;
  context.count('decisions', decisions);
  context.count('conflicts', conflicts);
  return { isSatisfied, problem, pruning, encoding };
}

/** Reachability in a matrix of bits, or in vectors of sessions if the matrix would exceed the memory limit. */
function closureOf({ numNodes, session }: VersionTable, { reachability }: PolysiOptions, context: RunContext) {
  const rows = EventRows.bytesFor(numNodes);
  const vectors = SessionVectors.bytesFor(session);
  const takesVectors = reachability === 'sessions' || (reachability === 'auto' && rows > MAX_BYTES && vectors < rows);
  const bytes = takesVectors ? vectors : rows;
  if (bytes > MAX_BYTES) {
    const shape = takesVectors ? 'vectors of sessions' : 'a matrix';
    throw new Stop('memory', `reachability takes ${shape} of ${(bytes / 2 ** 30).toFixed(0)} GiB, more than 6 GiB`);
  }
  if (!takesVectors) return new EventRows(2 * numNodes);
  context.count('sessionVectors', 1);
  return new SessionVectors(session);
}

const MAX_BYTES = 6 * 2 ** 30;

/** Counts the figures of the paper's Table 3; PolygraphSize explains how the initial transaction is counted. */
function countPolygraph({ known, size, sizeOfRead }: GeneralizedPolygraph, context: RunContext): void {
  context.count('knownDependencies', known.count);
  context.count('constraintsBefore', size.constraints);
  context.count('unknownDependenciesBefore', size.unknownDependencies);
  context.count('constraintsBeforeOfReadKeys', sizeOfRead.constraints);
  context.count('unknownDependenciesBeforeOfReadKeys', sizeOfRead.unknownDependencies);
}

/**
 * Explains a violation in terms of the plain problem: the compact polygraph whose initial transaction comes first,
 * encoded with split nodes. Other options only make the checker slower or less precise, so the plain problem is solved
 * as well.
 */
function explainViolation(
  input: IndexedHistory,
  lists: ListVersions | null,
  options: PolysiOptions,
  found: Found,
  context: RunContext,
): Explanation {
  const isEncodedPlainly = found.encoding === null || options.encoding === PLAIN.encoding;
  const isPlain = options.compact === PLAIN.compact && options.initial === PLAIN.initial && isEncodedPlainly;
  const { problem, pruning, encoding } = isPlain ? found : solve(input, lists, { ...options, ...PLAIN }, context);
  context.stage('interpret');
  const cycles = refutation(problem, pruning, encoding);
  return explain(input, lists, problem, cycles, options.search, context);
}

const PLAIN = { compact: true, initial: 'first', encoding: 'layers' } as const;

/**
 * The stages of Interpret (figures 5, 12 and 13) for a history that violates snapshot isolation; null if it does not.
 */
export function interpretViolation(input: IndexedHistory, context: RunContext): Interpretation | null {
  const lists = listsOf(input);
  if (lists !== null && lists.conflicts.length > 0) return null;
  const options = defaultsOf(OPTIONS);
  const found = solve(input, lists, options, context);
  return found.isSatisfied ? null : explainViolation(input, lists, options, found, context).interpretation;
}

/** Orders of versions that lists show, or null if the history has no lists. */
const listsOf = ({ history, index }: IndexedHistory): ListVersions | null =>
  history.opKind.some((kind) => kind === OpKind.Append || kind === OpKind.ListRead)
    ? listVersions(history, index)
    : null;

const versionsOf = (
  { history, index }: IndexedHistory,
  lists: ListVersions | null,
  options: { readonly initialFirst: boolean },
): VersionTable =>
  lists === null ? registerVersionTable(history, index, options) : listVersionTable(history, index, lists, options);

interface Explanation {
  readonly anomaly: FoundAnomaly;
  readonly interpretation: Interpretation;
}

/** Interprets, names and certifies a violation. `search` limits the search for the smallest counterexample. */
function explain(
  { history, index }: IndexedHistory,
  lists: ListVersions | null,
  problem: Problem,
  cycles: readonly (readonly number[])[],
  search: number,
  context: RunContext,
): Explanation {
  const tick = (steps: number): void => context.tick(steps);
  const core = minimalCore(problem, cycles, tick);
  const interpretation = interpret(problem, core, { steps: search, tick });
  const { name, transactions } = classify(interpretation);
  if (!context.certify) return { anomaly: { name, transactions }, interpretation };
  context.stage('certify');
  const certificate = certificateOf(problem, core, new Reasons(problem, history, index, lists));
  return { anomaly: { name, transactions, certificate }, interpretation };
}
