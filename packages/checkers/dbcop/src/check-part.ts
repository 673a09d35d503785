import type { FoundAnomaly, RunContext } from '@isolab/contract';
import { type Adjacency, components } from '@isolab/graph';
import type { Dependencies } from './dependencies/dependencies.ts';
import { type ViolationFacts, anomalyBeforeInitial, anomalyOfCycle } from './explain.ts';
import { type DbcopLevel, isSearched } from './levels.ts';
import type { PartOptions } from './options.ts';
import { type SaturationLevel, premiseOf } from './premises.ts';
import { type Saturation, saturate } from './saturation.ts';
import { shortestCycle } from './shortest-cycle.ts';
import { type Sources, predecessors, sourcesOf } from './dependencies/sources.ts';
import { anomalyOfSearch } from './search/explain-search.ts';
import { linearize } from './search/linearize.ts';
import { type SearchLevel, type Steps, isSplit, stepsOf } from './search/steps.ts';

/** Checks a part of a history at a level. Levels that require a search are checked for causal consistency first. */
export function checkPart(
  deps: Dependencies,
  level: DbcopLevel,
  options: PartOptions,
  context: RunContext,
): PartResult {
  context.stage('construct');
  const causes = causesOf(deps, context);
  const { result, saturation } = saturatePart(causes, isSearched(level) ? 'causal' : level, options, context);
  if (result.anomalies || !isSearched(level)) return result;
  return searchPart({ ...causes, saturation: saturation!.edges }, level, options, context);
}

/** SO ∪ WR. */
interface Causes {
  readonly deps: Dependencies;
  readonly sources: Sources;
  readonly base: Adjacency;
  readonly traversal: Traversal;
}

function causesOf(deps: Dependencies, context: RunContext): Causes {
  const sources = sourcesOf(deps);
  const base = predecessors(deps, sources, null);
  return { deps, sources, base, traversal: strongComponents(base, (steps) => context.tick(steps)) };
}

interface Saturated {
  readonly result: PartResult;
  /** Null if SO ∪ WR has a cycle. */
  readonly saturation: Saturation | null;
}

/** Algorithm 1: co := SO ∪ WR, saturated with the level's axiom, must be acyclic. */
function saturatePart(
  { deps, sources, base, traversal: causes }: Causes,
  level: SaturationLevel,
  options: PartOptions,
  context: RunContext,
): Saturated {
  const tick = (steps: number): void => context.tick(steps);
  // A history in the sense of Definition 2.2 has an acyclic SO ∪ WR, as premises require.
  if (causes.cyclic.length > 0) {
    const anomalies = anomaliesOf({ deps, sources, saturated: null }, base, causes, context);
    return { result: { order: null, anomalies }, saturation: null };
  }

  const input = { deps, sources, base, order: causes.order, maxClosureBytes: options.maxClosureBytes, tick };
  const premise = premiseOf(level, input, options.asPublished);
  context.stage('saturate');
  const saturation = saturate(deps, premise, context, options);

  context.stage('traverse');
  const commitOrder = predecessors(deps, sources, saturation.edges);
  const traversal = strongComponents(commitOrder, tick);
  if (traversal.cyclic.length === 0 && saturation.beforeInitial.length === 0) {
    const order = traversal.order.map((node) => deps.txnOf[node]);
    return { result: { order, anomalies: null }, saturation };
  }
  const facts = { deps, sources, saturated: { premise, saturation } };
  return { result: { order: null, anomalies: anomaliesOf(facts, commitOrder, traversal, context) }, saturation };
}

function anomaliesOf(
  facts: ViolationFacts,
  graph: Adjacency,
  { cyclic }: Traversal,
  context: RunContext,
): FoundAnomaly[] {
  const { certify, findAll } = context;
  context.stage('certify');
  const anomalies: FoundAnomaly[] = [];
  for (const { node, read } of facts.saturated?.saturation.beforeInitial ?? []) {
    anomalies.push(anomalyBeforeInitial(facts, node, read, certify));
    if (!findAll) return anomalies;
  }
  for (const component of cyclic) {
    const cycle = shortestCycle(graph, component, (steps) => context.tick(steps));
    anomalies.push(anomalyOfCycle(facts, cycle, certify));
    if (!findAll) return anomalies;
  }
  return anomalies;
}

interface Traversal {
  /** All vertices, each after its predecessors unless a cycle prevents this. */
  readonly order: Int32Array;
  /** The strongly connected components of more than one vertex; empty if the graph is acyclic. */
  readonly cyclic: readonly Int32Array[];
}

function strongComponents(graph: Adjacency, tick: (steps: number) => void): Traversal {
  const { numNodes, target } = graph;
  tick(numNodes + target.length);
  const { count, rows } = components(graph);
  const cyclic: Int32Array[] = [];
  for (let c = 0; c < count; c++)
    if (rows.start[c + 1] - rows.start[c] > 1) cyclic.push(rows.item.slice(rows.start[c], rows.start[c + 1]));
  return { order: rows.item, cyclic };
}

/**
 * An order of a history or a part of it, or its anomalies. The order consists of transactions, or at searched levels
 * below serializable of begins (2t) and commits (2t + 1).
 */
type PartResult =
  | { readonly order: Int32Array; readonly anomalies: null }
  | { readonly order: null; readonly anomalies: readonly FoundAnomaly[] };

interface CausalPart {
  readonly deps: Dependencies;
  readonly sources: Sources;
  /** Edges that the causal check added to SO ∪ WR: for each node, the nodes that must precede it. */
  readonly saturation: Adjacency;
}

/** Decides prefix, snapshot isolation and serializability of a causally consistent part (paper, section 4). */
function searchPart(
  part: CausalPart,
  level: SearchLevel,
  { asPublished, initialReads, eager, maxMemoBytes }: PartOptions,
  context: RunContext,
): PartResult {
  context.stage('construct');
  const steps = stepsOf({ ...part, level, initialReads, strictPrefix: asPublished });
  context.stage('search');
  const { order, stuck } = linearize(steps, { eager, maxMemoBytes }, context);
  if (order) return { order: inHistory(part.deps, level, order), anomalies: null };
  context.stage('certify');
  return { order: null, anomalies: [anomalyOfSearch(part.deps, steps, nextNodes(steps, stuck), context.certify)] };
}

/** Translates steps to transactions, or to begins and commits of transactions. */
const inHistory = ({ txnOf }: Dependencies, level: SearchLevel, order: Int32Array): Int32Array =>
  order.map((step) => (isSplit(level) ? 2 * txnOf[step >> 1] + (step & 1) : txnOf[step]));

function nextNodes({ level, first }: Steps, boundary: Int32Array): number[] {
  const steps = Array.from(boundary, (count, s) => first[s] + count).filter((step, s) => step < first[s + 1]);
  return steps.map((step) => (isSplit(level) ? step >> 1 : step));
}
