import { type LevelDefinition, type Problem, problemOf, speaksOfOrder } from '@isolab/levels';
import {
  type AnomalyName,
  type AxiomsCertificate,
  type CheckerVerdict,
  type FoundAnomaly,
  INTERNAL_ANOMALY_NAMES,
  type RunContext,
  clearestStep,
  edgesOfAxioms,
  nameOfEdges,
  transactionsOf,
} from '@isolab/contract';
import type { History, ListVersions } from '@isolab/history';
import { proofCertificate, satisfiedCertificate, walkCertificate } from './certificates.ts';
import type { Choices } from './facts/choices.ts';
import type { LevelFacts } from './facts/facts.ts';
import { type Along, type Points, alongOrder, pointsOf } from './facts/order.ts';
import { type Chosen, type World, Worlds } from './facts/worlds.ts';
import { embeddingOf } from './search/embedding.ts';
import { urgencies } from './search/guess.ts';
import type { Hint, Hints } from './search/guide.ts';
import { Instances } from './search/instances.ts';
import { knownOrders } from './search/known-orders.ts';
import { type Instance, OrderGraph, type Proof } from './search/order-graph.ts';
import { addSources, likelyLast } from './search/sources.ts';
import { Turns } from './search/turns.ts';
import { isPlain, placesAlong } from './walks/forward.ts';
import { evaluationOf } from './walks/product.ts';
import type { Tick } from './walks/types.ts';

/** Input of a decision: a history, or the part of it that concerns one key. */
export interface LevelPart {
  readonly history: History;
  readonly facts: LevelFacts;
  readonly choices: Choices;
  readonly lists: ListVersions;
  /** The key of a history of a single key, or null. */
  readonly ofKey: number | null;
}

type Context = Pick<RunContext, 'stage' | 'tick' | 'count' | 'certify'>;

/**
 * Decides a level's own axioms for reads without internal anomalies. A correct hint settles the decision; the search
 * starts from a different order.
 */
export function decide(
  { history, facts, choices, lists, ofKey }: LevelPart,
  level: LevelDefinition,
  context: Context,
  hintsFor: HintsFor = () => null,
): CheckerVerdict {
  const tick = (steps: number): void => {
    turns.search(steps);
    context.tick(steps);
  };
  const worlds = new Worlds(facts, likelyLast(choices, history, facts));
  const problem = problemOf(level);
  const points = pointsOf(problem.order, facts);
  const hasChoices = choices.reads.length > 0;
  const mayFollow = (hint: Hint): boolean => {
    if (known.some(({ first, second }) => hint.place[first] >= hint.place[second])) return false;
    context.count('rounds', 1);
    return isRight(alongOrder(facts, problem.order, hint.place), hint, problem, instances, tick);
  };
  const turns = new Turns(hasChoices ? null : hintsFor(problem, points), history.opKind.length, mayFollow);
  const known = knownOrders(lists, facts, points, !level.allows.includes('thin-air-reads'));
  const instancesIn = (world: World, chosen: Chosen): Instances =>
    new Instances(world, { worlds, chosen }, problem, history, tick);
  const certain = worlds.certain();
  let instances = instancesIn(certain, NOTHING_CHOSEN);
  const accepted = ({ place }: Hint): CheckerVerdict =>
    satisfied(level, problem, alongOrder(facts, problem.order, place), worlds, context);
  const hint = turns.take();
  if (hint !== null) return accepted(hint);
  const embeddings = embeddingsOf(problem, instances, points, certain, tick);
  const urgency = turns.hint === null ? urgencies(history, facts, points) : Float64Array.from(turns.hint.place);
  const graph = new OrderGraph(points.count, embeddings, known, urgency, tick);
  const refuted = (): CheckerVerdict => violated(history, worlds, points, ofKey, graph.proof(), null, context);

  // Embedded constraints hold in every order of the solver, so only the first order is checked against them. With
  // choices, no constraint is embedded.
  const isEmbedded = new Set(embeddings.map(({ constraint }) => constraint));
  const later = problem.constraints.filter((each) => hasChoices || !isEmbedded.has(each) || speaksOfOrder(each.term));
  if (graph.isCyclic) {
    graph.solver.solve();
    return refuted();
  }
  if (hasChoices && (!addSources(graph, worlds, problem) || graph.solver.solve() !== 'satisfiable')) return refuted();
  context.stage('guess');
  let place = graph.guess();
  for (let round = 0; ; round++) {
    if (hasChoices) instances = instancesIn(worlds.of(graph.chosen), graph.chosen);
    const along = instances.along(place);
    const constraints = round === 0 ? problem.constraints : later;
    const found = instances.find(constraints, along, place, MOST_A_ROUND);
    context.count('rounds', 1);
    context.count('walks', found.length);
    if (found.length === 0) return satisfied(level, problem, along, worlds, context);
    const hopeless = found.find((each) => each.orders.length + each.sources.length === 0 && each.follows === null);
    if (hopeless) return violated(history, worlds, points, ofKey, null, hopeless, context);
    if (round === 0) context.stage('solve');
    const isOpen = found.every((instance) => graph.forbid(instance)) && graph.solver.solve() === 'satisfiable';
    if (!isOpen) return refuted();
    place = graph.places();
    const late = turns.take();
    if (late !== null) return accepted(late);
  }
}

function embeddingsOf({ constraints }: Problem, instances: Instances, points: Points, { nodes }: World, tick: Tick) {
  const start = instances.along(Int32Array.from({ length: points.count }, (_, point) => point));
  return constraints
    .map((constraint) => embeddingOf(evaluationOf(start, tick), constraint, points, nodes))
    .filter((embedding) => embedding !== null);
}

/** Returns a source of promising orders, the likeliest first, or null if there is no such source. */
export type HintsFor = (problem: Problem, points: Points) => Hints | null;

/**
 * Returns whether an order violates nothing. Single walks are examined only if the order claims to satisfy the level.
 */
function isRight(
  along: Along,
  { commits, place, isOfLevel }: Hint,
  { constraints }: Problem,
  instances: Instances,
  tick: Tick,
): boolean {
  const places = placesAlong(along, commits);
  const left = constraints.filter((constraint) => !isPlain(places, constraint, tick));
  return left.length === 0 || (isOfLevel && instances.find(left, along, place, 1).length === 0);
}

const NOTHING_CHOSEN: Chosen = () => -1;

/** Maximum number of forbidden walks per constraint between two calls of the solver. */
const MOST_A_ROUND = 2000;

function satisfied(
  level: LevelDefinition,
  problem: Problem,
  along: Along,
  worlds: Worlds,
  { certify }: Context,
): CheckerVerdict {
  if (!certify) return { status: 'satisfied' };
  return { status: 'satisfied', certificate: satisfiedCertificate(level, problem, along, worlds) };
}

function violated(
  history: History,
  worlds: Worlds,
  points: Points,
  ofKey: number | null,
  proof: Proof | null,
  instance: Instance | null,
  { certify }: Context,
): CheckerVerdict {
  const certificate: AxiomsCertificate = {
    ...(proof !== null ? proofCertificate(worlds, points, proof) : walkCertificate(points.kind, instance!)),
    ...(ofKey !== null && { ofKey }),
  };
  const step = clearestStep(certificate);
  const edges = step === null ? [] : edgesOfAxioms(history, step, points.kind);
  const anomaly: FoundAnomaly = {
    name:
      (step === null ? impossibleName(worlds) : null) ??
      (edges.length > 1 ? nameOfEdges(edges, points.kind === 'events') : null) ??
      'forbidden-walk',
    transactions: step === null ? readersIn(worlds) : transactionsOf(history, step, points.kind),
    ...(certify && { certificate }),
  };
  return { status: 'violated', anomalies: [anomaly] };
}

/** Name of the anomaly of an open transaction that a read must have seen, if the read is refuted without a walk. */
function impossibleName({ choices }: Worlds): AnomalyName | null {
  const [anomaly] = choices.impossible.values();
  return anomaly === undefined ? null : INTERNAL_ANOMALY_NAMES[anomaly.name].name;
}

const readersIn = ({ choices }: Worlds): number[] => [...new Set(choices.reads.map(({ reader }) => reader))];
