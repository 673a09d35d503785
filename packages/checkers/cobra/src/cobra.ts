/**
 * Cobra (Tan, Zhao, Mu, Walfish: Cobra: Making Transactional Key-Value Stores Verifiably Serializable, OSDI 2020).
 * Certain orders become edges between transactions. Open orders, such as the order of two chains of versions of a key,
 * become constraints. Reachability decides most constraints, a solver the rest. For snapshot isolation, every
 * transaction of the history is split in two (CobraSI).
 */
import {
  API_VERSION,
  type CheckerVerdict,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  type SatisfiedCertificate,
  defineChecker,
  internalViolations,
  polygraphVerdict,
} from '@isolab/contract';
import { type InternalAnomalyName, type PolygraphInput, happenedTransactions } from '@isolab/history';
import { BitRows, SerialVersionBuilder, polygraphOf } from '@isolab/polygraph';
import { type DecideOptions, decidePolygraph, decideProblem } from './polygraph/decide.ts';
import { checkEpochs } from './epochs/epochs.ts';
import { findFences, keyNamed } from './epochs/fences.ts';
import { anomalyOf } from './explain/anomaly.ts';
import { type CobraOptions, OPTIONS, VARIANTS } from './polygraph/options.ts';
import { type Problem, isSnapshotLevel, problemOf, txnOfNode } from './polygraph/problem.ts';

export const cobra = defineChecker<CobraOptions, 'history' | 'polygraph'>({
  info: {
    name: 'cobra',
    title: 'Cobra',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Cobra: Making Transactional Key-Value Stores Verifiably Serializable',
      authors: 'Cheng Tan, Changgeng Zhao, Shuai Mu, Michael Walfish',
      venue: 'OSDI',
      year: 2020,
    },
    levels: ['adya-snapshot-isolation', 'snapshot-isolation', 'plain-serializable', 'serializable'],
    sound: true,
    complete: true,
    requires: ['unique-values', 'registers', 'no-unknown'],
    accepts: ['history', 'polygraph'],
    options: OPTIONS,
    variants: VARIANTS,
  },
  async check(input, level, options, context) {
    if (input.kind === 'polygraph') return checkPolygraph(input.polygraph, options, context);
    context.stage('construct');
    context.tick(input.history.opKind.length);
    const internal = internalViolations(input, level, {
      findAll: context.findAll,
      ignore: options.asPublished ? UNSEEN : [],
    });
    if (internal.length > 0 && !context.findAll) return { status: 'violated', anomalies: internal };
    const fenceKey = options.fenceKey === '' || level !== 'serializable' ? -1 : keyNamed(input, options.fenceKey);
    const verdict =
      fenceKey < 0
        ? await checkWhole(input, happenedTransactions(input.index.outcome), level, options, context)
        : await checkFenced(input, fenceKey, options, context);
    if (internal.length === 0) return verdict;
    return {
      status: 'violated',
      anomalies: [...internal, ...(verdict.status === 'violated' ? verdict.anomalies : [])],
    };
  },
});

export async function checkPolygraph(
  input: PolygraphInput,
  options: DecideOptions,
  context: RunContext,
): Promise<CheckerVerdict> {
  context.stage('construct');
  const outcome = await decidePolygraph(polygraphOf(input), options, context);
  if (outcome.status !== 'satisfied') return polygraphVerdict({ status: 'unsatisfiable' });
  return polygraphVerdict({ status: 'satisfiable', order: outcome.order });
}

/** The published client buffers its writes until it commits, so its verifier need not check these anomalies. */
const UNSEEN: readonly InternalAnomalyName[] = [
  'not-my-own-write',
  'not-my-last-write',
  'intermediate-read',
  'non-repeatable-read',
];

/** Checks epoch by epoch. In case of a violation, checks all transactions seen so far together to find the anomaly. */
async function checkFenced(
  input: IndexedHistory,
  key: number,
  options: CobraOptions,
  context: RunContext,
): Promise<CheckerVerdict> {
  const outcome = await checkEpochs(input, findFences(input, key), options, context);
  if (outcome.status === 'violated') {
    context.stage('certify');
    // If reachability of the whole would take too much memory, the solver works without it.
    const fits = BitRows.bytesFor(outcome.txns.length) <= options.maxClosureBytes;
    const whole = fits ? options : { ...options, prune: false };
    const verdict = await checkWhole(input, outcome.txns, 'serializable', whole, context);
    if (verdict.status === 'satisfied')
      throw new Error('The epochs violate the level, but the whole history does not.');
    return verdict;
  }
  if (!context.certify) return { status: 'satisfied' };
  if (outcome.order === null || options.asPublished) return { status: 'satisfied', uncertified: 'as-published' };
  return { status: 'satisfied', certificate: { kind: 'commit-order', order: Array.from(outcome.order) } };
}

async function checkWhole(
  input: IndexedHistory,
  txns: Int32Array,
  level: LevelName,
  options: CobraOptions,
  context: RunContext,
): Promise<CheckerVerdict> {
  const builder = new SerialVersionBuilder(input.history, input.index);
  const problem = problemOf(builder, { txns, base: null }, level, options, (steps) => context.tick(steps));
  const outcome = await decideProblem(problem, options, context);
  if (outcome.status === 'satisfied') {
    if (!context.certify) return { status: 'satisfied' };
    if (options.asPublished) return { status: 'satisfied', uncertified: 'as-published' };
    context.stage('certify');
    return { status: 'satisfied', certificate: orderCertificate(problem, level, outcome.order) };
  }
  context.stage('certify');
  return { status: 'violated', anomalies: [anomalyOf(problem, outcome)] };
}

function orderCertificate(problem: Problem, level: LevelName, order: Int32Array): SatisfiedCertificate {
  if (!isSnapshotLevel(level))
    return { kind: 'commit-order', order: Array.from(order, (node) => txnOfNode(problem, node)) };
  return { kind: 'event-order', events: Array.from(order, (node) => 2 * txnOfNode(problem, node) + (node & 1)) };
}
