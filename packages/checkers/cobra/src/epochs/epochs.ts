/**
 * Cobra's rounds: checks a long history epoch by epoch, and drops transactions that cannot be part of a cycle any more.
 */
import type { IndexedHistory, RunContext } from '@isolab/contract';
import { EdgeColumns, topologicalOrder } from '@isolab/graph';
import { Outcome, OpKind, countSessions, transactionOfOperations } from '@isolab/history';
import { SerialVersionBuilder, regionsOf } from '@isolab/polygraph';
import { prunePolygraph } from '../polygraph/decide.ts';
import type { CobraOptions } from '../polygraph/options.ts';
import { problemOf } from '../polygraph/problem.ts';
import { requireMemory } from '../polygraph/reachability.ts';
import { solve } from '../polygraph/solve.ts';
import { collect } from './collect.ts';
import type { Fences } from './fences.ts';
import { Intake } from './intake.ts';
import { Window } from './window.ts';

export type EpochsOutcome =
  /** A commit order, if requested. */
  | { readonly status: 'satisfied'; readonly order: Int32Array | null }
  /** Transactions that already violate serializability. */
  | { readonly status: 'violated'; readonly txns: Int32Array };

export async function checkEpochs(
  input: IndexedHistory,
  fences: Fences,
  options: CobraOptions,
  context: RunContext,
): Promise<EpochsOutcome> {
  const { history, index } = input;
  const tick = (steps: number): void => context.tick(steps);
  const builder = new SerialVersionBuilder(history, index);
  const intake = new Intake(input, fences);
  const window = new Window(history, index);
  const edges = context.certify ? new EdgeColumns() : null;
  const perEpoch = options.fencesPerEpoch > 0 ? options.fencesPerEpoch : countSessions(history);
  const seen: number[] = [];
  let step = perEpoch;
  for (let fence = perEpoch; !intake.isDone; fence += step) {
    context.stage('construct');
    const fresh = intake.until(fence < fences.count ? fence : Infinity);
    if (fresh.length === 0) continue;
    for (const t of fresh) seen.push(t);
    context.count('epochs', 1);
    context.progress(seen.length, history.txnStatus.length);
    const violated = (): EpochsOutcome => ({ status: 'violated', txns: Int32Array.from(seen).toSorted() });
    if (fresh.some((t) => window.readsPast(t))) return violated();

    const part = { txns: window.admit(fresh), base: window.base };
    const problem = problemOf(builder, part, 'serializable', options, tick, window.beforeBase);
    context.count('nodes', problem.numNodes);
    const polygraph = window.polygraphOf(problem, fresh);
    const isCyclic = (): boolean =>
      topologicalOrder(polygraph.known.ends.digraph(polygraph.numNodes)).length < polygraph.numNodes;
    if (isCyclic()) return violated();
    context.count('constraints', polygraph.constraints.count);
    if (options.prune) {
      context.stage('prune');
      await prunePolygraph(polygraph, options, context);
      if (isCyclic()) return violated();
    }
    context.count('constraintsLeft', polygraph.constraints.countOpen());
    const regions = regionsOf(polygraph);
    const { decisions } = solve(polygraph, options, context, regions);
    if (decisions === null) return violated();

    context.stage('collect');
    requireMemory(polygraph.numNodes, options.maxClosureBytes);
    const settledFence = intake.settledFence();
    const settled = Uint8Array.from(part.txns, (t) => (fences.next[t] <= settledFence ? 1 : 0));
    const decided = { problem, polygraph, regions, decisions, settled, isLast: intake.isDone };
    context.count('collected', collect(decided, window, edges, tick));
    step = nextStep(step, perEpoch, window.live.length, fresh.length);
  }
  return { status: 'satisfied', order: edges && commitOrder(input, edges) };
}

/**
 * Lengthens epochs if many transactions remain, which limits the total size of all windows to a few times the history.
 */
function nextStep(step: number, perEpoch: number, stayed: number, fresh: number): number {
  if (stayed > 4 * fresh) return 2 * step;
  return stayed < fresh ? Math.max(perEpoch, step >> 1) : step;
}

/** Orders all transactions of the history by session order, read-from, and all chosen edges. */
function commitOrder({ history, index }: IndexedHistory, edges: EdgeColumns): Int32Array {
  const { sessionStart, txnStart, opKind } = history;
  const numTxns = history.txnStatus.length;
  const txnOf = transactionOfOperations(history);
  const happened = (t: number): boolean => index.outcome[t] === Outcome.Happened;
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    let previous = -1;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (!happened(t)) continue;
      if (previous >= 0) edges.add(previous, t);
      previous = t;
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        const from = opKind[op] === OpKind.Read ? index.readFrom[op] : -1;
        if (from >= 0 && txnOf[from] !== t) edges.add(txnOf[from], t);
      }
    }
  }
  const order = topologicalOrder(edges.digraph(numTxns));
  if (order.length < numTxns) throw new Error('The choices of different epochs form a cycle.');
  return order.filter(happened);
}
