import {
  type CheckInput,
  type FoundAnomaly,
  type LevelName,
  type RunContext,
  type Verdict,
  internalViolations,
} from '@isolab/contract';
import { byPace } from '../guess/pace.ts';
import { causalEdges } from './axioms/causal.ts';
import { readAtomicEdges } from './axioms/read-atomic.ts';
import { readCommittedEdges } from './axioms/read-committed.ts';
import { contradictions } from './contradictions.ts';
import { findCycles } from './cycles.ts';
import { EdgeList, type EmitEdge, noEdges } from './edges.ts';
import { type ReadFor, explainCycles, explainStaleInitialRead } from './explain.ts';
import { type Facts, gatherFacts } from './facts.ts';
import { commitOrder } from './order.ts';
import { canSee, visibilityOf } from './visibility.ts';

export const WEAK_LEVELS: readonly LevelName[] = [
  'cut-isolation',
  'read-committed-pl2',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
];

export function checkWeakLevel(input: CheckInput, level: LevelName, context: RunContext): Verdict {
  context.stage('construct');
  context.tick(input.history.opKind.length);
  const anomalies = internalViolations(input, level, context);
  if (anomalies.length > 0 && !context.findAll) return { status: 'violated', anomalies };
  if (level === 'cut-isolation') {
    return anomalies.length > 0
      ? { status: 'violated', anomalies }
      : { status: 'satisfied', certificate: { kind: 'inspection' } };
  }

  const facts = gatherFacts(input.history, input.index);
  if (level === 'read-committed-pl2') facts.previous.fill(-1); // sessions do not count
  const numTxns = facts.happened.length;
  const toPlace = facts.happened.reduce((sum, happened) => sum + happened, 0);
  const roots = byPace(input.history);
  const known = commitOrder(facts, noEdges(numTxns), roots);
  if (known.length < toPlace) {
    context.stage('traverse');
    anomalies.push(
      ...explainCycles(facts, level, findCycles(facts, noEdges(numTxns), known, context.findAll), () => -1),
    );
    return { status: 'violated', anomalies };
  }

  const charge = (steps: number): void => context.tick(steps);
  const search =
    level === 'read-committed-pl2'
      ? { order: known, edges: new EdgeList() }
      : searchOrder(facts, level, known, roots, charge);
  const { order, edges } = search;
  context.count('edges', edges.count);
  context.stage('traverse');
  anomalies.push(...staleInitialReads(facts, level, edges, context.findAll));
  if (order.length < toPlace && (anomalies.length === 0 || context.findAll)) {
    const all = context.findAll ? allEdges(facts, level, known, charge) : edges;
    const incoming = all.incoming(numTxns);
    const cycles = findCycles(
      facts,
      incoming,
      context.findAll ? commitOrder(facts, incoming, roots) : order,
      context.findAll,
    );
    anomalies.push(...explainCycles(facts, level, cycles, readFinder(facts, level, known, charge, all)));
  }
  if (anomalies.length > 0) return { status: 'violated', anomalies };
  if (!context.certify) return { status: 'satisfied' };
  context.stage('certify');
  return { status: 'satisfied', certificate: { kind: 'commit-order', order: Array.from(order) } };
}

/**
 * Looks for an order that satisfies the level: takes one of the known facts, adds the edges that it contradicts, and
 * begins anew with them. An order that is shorter than it should be means that the facts and the edges have cycles.
 */
function searchOrder(
  facts: Facts,
  level: LevelName,
  known: Int32Array,
  roots: Int32Array,
  charge: (steps: number) => void,
): { readonly order: Int32Array; readonly edges: EdgeList } {
  const edges = new EdgeList();
  const numTxns = facts.happened.length;
  let order = known;
  const rounds = canSee(facts, level) ? ROUNDS : 0;
  for (let round = 0; round < rounds && order.length === known.length; round++) {
    const before = edges.count;
    const done = contradictions(facts, order, visibilityOf(facts, level), charge, edges.emit);
    if (!done) break;
    if (edges.count === before || edges.toInitial.length > 0) return { order, edges };
    order = commitOrder(facts, edges.incoming(numTxns), roots);
  }
  if (order.length < known.length) return { order, edges };
  const all = allEdges(facts, level, known, charge);
  return { order: commitOrder(facts, all.incoming(numTxns), roots), edges: all };
}

function allEdges(facts: Facts, level: LevelName, known: Int32Array, charge: (steps: number) => void): EdgeList {
  const edges = new EdgeList();
  addEdges(facts, level, known, charge, edges.emit);
  return edges;
}

/** Causal edges that were put down all at once do not say which read asked for them; then they are gone through again. */
function readFinder(
  facts: Facts,
  level: LevelName,
  known: Int32Array,
  charge: (steps: number) => void,
  edges: EdgeList,
): ReadFor {
  return (from, to) => {
    let read = edges.readFor(from, to);
    if (read >= 0 || level !== 'causal') return read;
    const wanted = { has: (a: number, b: number) => a === from && b === to };
    causalEdges(facts, known, charge, (_, __, found) => void (read = found), wanted);
    return read;
  };
}

function addEdges(
  facts: Facts,
  level: LevelName,
  known: Int32Array,
  tick: (steps: number) => void,
  emit: EmitEdge,
): void {
  if (level === 'causal') causalEdges(facts, known, tick, emit);
  else if (level === 'read-atomic') readAtomicEdges(facts, tick, emit);
  else if (level !== 'read-committed-pl2') readCommittedEdges(facts, level, tick, emit);
}

function staleInitialReads(facts: Facts, level: LevelName, { toInitial }: EdgeList, findAll: boolean): FoundAnomaly[] {
  const reported = findAll ? toInitial : toInitial.slice(0, 1);
  return reported.map(({ from, read }) => explainStaleInitialRead(facts, level, from, read));
}

/** Orders tried before all edges of the axiom are put down at once. */
const ROUNDS = 6;
