import {
  type CheckerVerdict,
  type FoundAnomaly,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  checkCutIsolation,
  internalViolations,
} from '@isolab/contract';
import { byPace } from '../../hints/pace.ts';
import type { Tuning } from '../../problem/tuning.ts';
import { findCycles } from './edges/cycles.ts';
import { EdgeList, type IncomingEdges, noEdges } from './edges/edges.ts';
import { type ReadFor, explainCycles, explainStaleInitialRead } from './edges/explain.ts';
import { type EdgeFacts, gatherFacts } from './edges/facts.ts';
import { commitOrder } from './edges/order.ts';
import { decideWithChoices } from './sources/decide.ts';
import { allEdges, readFinder, searchOrder } from './axioms/search-order.ts';

export const WEAK_LEVELS: readonly LevelName[] = [
  'cut-isolation',
  'read-committed-pl2',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
];

export function checkWeakLevel(
  input: IndexedHistory,
  level: LevelName,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict {
  context.stage('construct');
  context.tick(input.history.opKind.length);
  if (level === 'cut-isolation')
    return checkCutIsolation(input, internalViolations(input, level, { findAll: true }), context.findAll);
  const anomalies = internalViolations(input, level, context);
  if (anomalies.length > 0 && !context.findAll) return { status: 'violated', anomalies };

  const facts = gatherFacts(input.history, input.index);
  if (level === 'read-committed-pl2') facts.previous.fill(-1); // sessions do not count
  const numTxns = facts.happened.length;
  const toPlace = facts.happened.reduce((sum, happened) => sum + happened, 0);
  const roots = byPace(input.history);
  const explain = (edges: IncomingEdges, order: Int32Array, readFor: ReadFor): FoundAnomaly[] =>
    explainCycles(facts, level, findCycles(facts, edges, order, tuning, context.findAll), readFor);
  const known = commitOrder(facts, noEdges(numTxns), roots);
  if (known.length < toPlace) {
    context.stage('traverse');
    return { status: 'violated', anomalies: [...anomalies, ...explain(noEdges(numTxns), known, () => -1)] };
  }

  const charge = (steps: number): void => context.tick(steps);
  const search =
    level === 'read-committed-pl2'
      ? { order: known, edges: new EdgeList() }
      : searchOrder(facts, level, known, roots, tuning, charge);
  const { order, edges } = search;
  context.count('edges', edges.count);
  context.stage('traverse');
  anomalies.push(...staleInitialReads(facts, level, edges, context.findAll));
  if (order.length < toPlace && (anomalies.length === 0 || context.findAll)) {
    const all = context.findAll ? allEdges(facts, level, known, charge) : edges;
    const incoming = all.incoming(numTxns);
    const placed = context.findAll ? commitOrder(facts, incoming, roots) : order;
    anomalies.push(...explain(incoming, placed, readFinder(facts, level, known, charge, all)));
  }
  if (anomalies.length > 0) return { status: 'violated', anomalies };
  if (input.index.ambiguousReads > 0) return decideWithChoices(input, level, facts, order, roots, tuning, context);
  if (!context.certify) return { status: 'satisfied' };
  context.stage('certify');
  return { status: 'satisfied', certificate: { kind: 'commit-order', order: Array.from(order) } };
}

function staleInitialReads(
  facts: EdgeFacts,
  level: LevelName,
  { toInitial }: EdgeList,
  findAll: boolean,
): FoundAnomaly[] {
  const reported = findAll ? toInitial : toInitial.slice(0, 1);
  return reported.map(({ from, read }) => explainStaleInitialRead(facts, level, from, read));
}
