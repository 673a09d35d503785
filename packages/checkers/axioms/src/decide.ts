import { type Level, type Problem, problemOf, speaksOfOrder } from '@isolab/levels';
import {
  type AxiomsCertificate,
  type AxiomsStep,
  type CheckInput,
  type FoundAnomaly,
  type RunContext,
  type CommitOrderCertificate,
  type EventOrderCertificate,
  type VersionOrdersCertificate,
  type Verdict,
  clearestStep,
  edgesOfAxioms,
  nameOfEdges,
  transactionsOf,
} from '@isolab/contract';
import type { History } from '@isolab/history';
import { toDimacs } from '@isolab/solver';
import { type Facts, factsOf } from './facts/facts.ts';
import type { Unexplained } from './facts/unexplained.ts';
import { type Along, type Points, pointsOf } from './facts/order.ts';
import { embeddingOf } from './search/embedding.ts';
import { urgencies } from './search/guess.ts';
import { Instances, usersByKey } from './search/instances.ts';
import { type Instance, OrderGraph, type Proof } from './search/order-graph.ts';
import { knownOrders } from './search/known-orders.ts';
import { evaluationOf } from './walks/product.ts';

/** Decides a level for a history whose reads are no anomalies in themselves, and whose values are unique. */
export function decide(input: CheckInput, level: Level, isUnexplained: Unexplained, context: RunContext): Verdict {
  const { history, index } = input;
  const tick = (steps: number): void => context.tick(steps);
  context.stage('construct');
  tick(history.opKind.length);
  const facts = factsOf(history, index, isUnexplained);
  const problem = problemOf(level);
  const points = pointsOf(problem.order, facts);
  const instances = new Instances(facts, problem, usersByKey(history.opKey, history.txnStart, facts), tick);
  const start = instances.along(new Int32Array(points.count));
  const embeddings = problem.constraints
    .map((constraint) => embeddingOf(evaluationOf(start, tick), constraint, points))
    .filter((embedding) => embedding !== null);
  const known = knownOrders(history, index, facts, points, !level.allows.includes('thin-air-reads'));
  const urgency = urgencies(history, facts, points);
  const graph = new OrderGraph(points.count, embeddings, known, urgency, tick);

  // What is embedded holds in every order that the solver gives; the first one has to be looked at.
  const isEmbedded = new Set(embeddings.map(({ constraint }) => constraint));
  const later = problem.constraints.filter((each) => !isEmbedded.has(each) || speaksOfOrder(each.term));
  if (graph.isCyclic) {
    graph.solver.solve();
    return violated(history, facts, points, graph.proof(start), null, context);
  }
  context.stage('guess');
  let place = graph.guess();
  for (let round = 0; ; round++) {
    const along = instances.along(place);
    const constraints = round === 0 ? problem.constraints : later;
    const found = instances.find(constraints, along, MOST_A_ROUND);
    context.count('rounds', 1);
    context.count('walks', found.length);
    if (found.length === 0) return satisfied(level, problem, along, context);
    const hopeless = found.find(({ orders, follows }) => orders.length === 0 && follows === null);
    if (hopeless) return violated(history, facts, points, null, hopeless, context);
    if (round === 0) context.stage('solve');
    const isOpen = found.every((instance) => graph.forbid(instance)) && graph.solver.solve() === 'satisfiable';
    if (!isOpen) return violated(history, facts, points, graph.proof(along), null, context);
    place = graph.places();
  }
}

/** Walks of one constraint that are forbidden between two calls of the solver. */
const MOST_A_ROUND = 2000;

function satisfied({ allows }: Level, { order }: Problem, along: Along, { certify }: RunContext): Verdict {
  if (!certify) return { status: 'satisfied' };
  const sources = allows.length > 0 && !allows.includes('thin-air-reads') ? sourcesOf(along.facts) : [];
  return {
    status: 'satisfied',
    certificate: { ...orderCertificate(order, along), ...(sources.length > 0 && { sources }) },
  };
}

/** The reads that have no writer. */
const sourcesOf = ({ reads }: Facts): [number, number][] =>
  Array.from(reads.op.keys())
    .filter((r) => reads.writer[r] < 0)
    .map((r) => [reads.op[r], NOBODY]);

const NOBODY = -2;

type OrderCertificate = CommitOrderCertificate | EventOrderCertificate | VersionOrdersCertificate;

function orderCertificate(order: Problem['order'], { facts, sequence, chain }: Along): OrderCertificate {
  const { txnOf, writes, keyNames } = facts;
  if (order === 'events')
    return { kind: 'event-order', events: Array.from(sequence, (e) => 2 * txnOf[e >> 1] + (e % 2)) };
  if (order === 'commits') return { kind: 'commit-order', order: Array.from(sequence, (n) => txnOf[n]) };
  const orders = Array.from(keyNames, (name, key) => {
    const rows = chain.subarray(writes.start[key], writes.start[key + 1]);
    return [name, Array.from(rows, (row) => txnOf[writes.node[row]])] as const;
  });
  return {
    kind: 'version-orders',
    happened: Array.from(txnOf),
    orders: orders.filter(([, writers]) => writers.length > 1),
  };
}

function violated(
  history: History,
  facts: Facts,
  points: Points,
  proof: Proof | null,
  instance: Instance | null,
  { certify }: RunContext,
): Verdict {
  const certificate: AxiomsCertificate =
    proof !== null
      ? namedProof(facts, points, proof)
      : { kind: 'axioms', order: points.kind, choices: [], steps: [axiomStep([], instance!)] };
  const step = clearestStep(certificate)!;
  const edges = edgesOfAxioms(history, step, points.kind);
  const anomaly: FoundAnomaly = {
    name: (edges.length > 1 ? nameOfEdges(edges, points.kind === 'events') : null) ?? 'forbidden-walk',
    transactions: transactionsOf(history, step, points.kind),
    ...(certify && { certificate }),
  };
  return { status: 'violated', anomalies: [anomaly] };
}

const axiomStep = (clause: readonly number[], { axiom, key, walk }: Instance): AxiomsStep => ({
  kind: 'axiom',
  clause,
  axiom,
  ...(key !== null && { key }),
  walk,
});

/** A proof with points by their names in certificates. */
function namedProof(
  { txnOf, writes, keyNames }: Facts,
  { kind }: Points,
  { choices, steps }: Proof,
): AxiomsCertificate {
  const name = (point: number): number =>
    kind === 'commits'
      ? txnOf[point]
      : kind === 'events'
        ? 2 * txnOf[point >> 1] + (point % 2)
        : txnOf[writes.node[point]];
  const keyAt = (point: number) => (kind === 'versions' ? { key: keyNames[writes.key[point]] } : {});
  return {
    kind: 'axioms',
    order: kind,
    choices: choices.map(({ first, second }) => ({ first: name(first), second: name(second), ...keyAt(first) })),
    steps: steps.map((step) => {
      const clause = step.clause.map(toDimacs);
      if (step.kind === 'learned') return { kind: 'learned', clause };
      if (step.kind === 'axiom') return axiomStep(clause, step.instance);
      const edges = step.edges();
      const named = edges.map((edge) => ({ ...edge, from: name(edge.from), to: name(edge.to) }));
      return { kind: 'cycle', clause, edges: named, ...keyAt(edges[0].from) };
    }),
  };
}
