import {
  API_VERSION,
  type CheckInput,
  type FoundAnomaly,
  type LevelName,
  type RunContext,
  type Verdict,
  defineChecker,
  internalViolations,
} from '@isolab/contract';
import { contradictedClaims } from './claims.ts';
import { causalEdges } from './causal.ts';
import { contradictions } from './contradictions.ts';
import { findCycles } from './cycles.ts';
import { EdgeList, type EmitEdge, noEdges } from './edges.ts';
import { type ReadFor, explainCycles, explainStaleInitialRead } from './explain.ts';
import { type Facts, gatherFacts } from './facts.ts';
import { checkLinearizable } from './linearizable.ts';
import { commitOrder } from './order.ts';
import { byPace } from './pace.ts';
import { readAtomicEdges } from './read-atomic.ts';
import { readCommittedEdges } from './read-committed.ts';
import { findAllContradictions } from './strong/find-all.ts';
import { modelOf, STRONG_LEVELS } from './strong/model.ts';
import { STRONG_OPTIONS, STRONG_VARIANTS, type StrongOptions } from './strong/options.ts';
import { checkStrongLevel } from './strong/strong.ts';
import { canSee, visibilityOf } from './visibility.ts';

const WEAK_LEVELS: readonly LevelName[] = [
  'cut-isolation',
  'read-committed-pl2',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
];

/**
 * isolab's own checker. Weak levels, in one pass over the history: facts that are known (session order, read-from), the
 * edges that the level's axiom adds to them, and one search for an order of all. Strong levels: see strong/search.ts.
 */
export const weave = defineChecker<StrongOptions>({
  info: {
    name: 'weave',
    title: 'isolab’s own checker',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: null,
    levels: [...WEAK_LEVELS, ...STRONG_LEVELS, 'linearizable'],
    sound: true,
    complete: true,
    requires: [
      ['registers', 'list-append'],
      ['unique-values', 'registers'],
    ],
    requiresAt: {
      ...Object.fromEntries(WEAK_LEVELS.map((level) => [level, ['registers', 'unique-values', 'no-unknown']])),
      linearizable: ['single-keys'],
    },
    options: STRONG_OPTIONS,
    variants: STRONG_VARIANTS,
  },
  check(input, level, options, context) {
    const verdict = checkLevel(input, level, options, context);
    if (options.claims !== 'check' || verdict.status === 'unknown') return verdict;
    const fromSnapshots = modelOf(level)?.split === true;
    const warnings = contradictedClaims(input, { fromSnapshots, findAll: context.findAll });
    context.count('claims-contradicted', warnings.length);
    return warnings.length === 0 ? verdict : { ...verdict, warnings };
  },
});

function checkLevel(input: CheckInput, level: LevelName, options: StrongOptions, context: RunContext): Verdict {
  if (WEAK_LEVELS.includes(level)) return checkWeakLevel(input, level, context);
  const check = (part: CheckInput, inner: RunContext): Verdict =>
    level === 'linearizable' ? checkLinearizable(part, options, inner) : checkStrongLevel(part, level, options, inner);
  return context.findAll ? findAllContradictions(input, context, check) : check(input, context);
}

function checkWeakLevel(input: CheckInput, level: LevelName, context: RunContext): Verdict {
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
