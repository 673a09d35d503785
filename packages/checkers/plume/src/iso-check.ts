import type { RunContext } from '@isolab/contract';
import type { ReadFromIndex } from '@isolab/history';
import { type ClockCounters, type Reachability, buildReachability } from './clocks.ts';
import { type CommitEdges, type CommitLevel, buildCommitEdges } from './commit-order.ts';
import { type Graph, buildCoGraph, extendGraph, roundRobinOrder, topologicalOrder } from './graph.ts';
import { type VersionOrder, findVersionOrder } from './lists.ts';
import type { Model } from './model.ts';
import type { PlumeOptions } from './options.ts';

/** Structures that IsoCheck (Algorithm 1) has built, and whether they show a violation. */
export interface Built {
  readonly co: Reachability;
  readonly coGraph: Graph;
  readonly coIsCyclic: boolean;
  readonly versions: VersionOrder;
  readonly commit: CommitEdges;
  /** CO, the level's edges, and the edges of lists. */
  readonly cmGraph: Graph;
  /** Null if CM is acyclic: its vectors are not needed then. */
  readonly cm: Reachability | null;
  /** A topological order of G_CM, if it is acyclic and an order was computed. */
  readonly order: Int32Array | null;
}

export function build(
  model: Model,
  index: ReadFromIndex,
  level: CommitLevel,
  options: PlumeOptions,
  context: RunContext,
): Built {
  const tick = (steps: number): void => context.tick(steps);
  const counters: ClockCounters = { visitedNodes: 0, joins: 0, joinedEntries: 0 };
  const reachability = (graph: Graph, order: Int32Array): Reachability =>
    buildReachability(options.clocks, model, graph, order, counters, tick);

  // BuildCO
  const coGraph = buildCoGraph(model);
  const coOrder = orderNodes(model, coGraph, options);
  const co = reachability(coGraph, coOrder.order);
  const coIsCyclic = coOrder.isCyclic ?? hasCycle(coGraph, co);

  // BuildCM: all edges first, then the vectors, so that CM is not mistaken for CO.
  const versions = findVersionOrder(model, index, { unobserved: !options.asPublished, tick });
  const commit = buildCommitEdges(model, co, commitLevel(level, options), options.writers === 'latest', tick);
  const isPublishedRc = options.asPublished && level === 'read-committed';
  const cmGraph = isPublishedRc ? coGraph : addEdges(coGraph, commit, versions, model.reads.writer.length);

  context.stage('traverse');
  const cmOrder = cmGraph === coGraph ? coOrder : orderNodes(model, cmGraph, options);
  let cm: Reachability | null = null;
  if (cmGraph === coGraph) cm = coIsCyclic ? co : null;
  else if (cmOrder.isCyclic !== false) {
    cm = reachability(cmGraph, cmOrder.order);
    if (cmOrder.isCyclic === null && !hasCycle(cmGraph, cm)) cm = null;
  }
  context.count('coEdges', coGraph.outTarget.length);
  context.count('cmEdges', commit.from.length);
  if (versions.from.length > 0) context.count('listEdges', versions.from.length);
  for (const [name, amount] of Object.entries(counters)) context.count(name, amount);
  return { co, coGraph, coIsCyclic, versions, commit, cmGraph, cm, order: orderOf(cmGraph, cmOrder, cm) };
}

/** The published tool infers the edges of causal consistency at every level. */
const commitLevel = (level: CommitLevel, { asPublished }: PlumeOptions): CommitLevel =>
  asPublished ? 'causal' : level;

/** Order in which to add nodes, and whether the graph is cyclic; null if only the vectors will show this. */
function orderNodes(
  model: Model,
  graph: Graph,
  options: PlumeOptions,
): { readonly order: Int32Array; readonly isCyclic: boolean | null } {
  if (options.order === 'round-robin') return { order: roundRobinOrder(model), isCyclic: null };
  const { order, placed } = topologicalOrder(graph);
  return { order, isCyclic: placed < graph.numNodes };
}

const orderOf = (
  graph: Graph,
  { order, isCyclic }: { readonly order: Int32Array; readonly isCyclic: boolean | null },
  cm: Reachability | null,
): Int32Array | null => {
  if (cm !== null) return null;
  return isCyclic === false ? order : topologicalOrder(graph).order;
};

/** Returns whether the target of some edge reaches its source. */
function hasCycle({ numNodes, outStart, outTarget }: Graph, reachability: Reachability): boolean {
  for (let v = 0; v < numNodes; v++) {
    for (let e = outStart[v]; e < outStart[v + 1]; e++) if (reachability.reaches(outTarget[e], v)) return true;
  }
  return false;
}

/** G_CM: the labels of the level's edges follow the labels of the WR rows; the labels of list edges come last. */
function addEdges(co: Graph, commit: CommitEdges, versions: VersionOrder, firstLabel: number): Graph {
  if (commit.from.length + versions.from.length === 0) return co;
  return extendGraph(co, concatenate(commit.from, versions.from), concatenate(commit.to, versions.to), firstLabel);
}

function concatenate(a: Int32Array, b: Int32Array): Int32Array {
  if (b.length === 0) return a;
  const both = new Int32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
