import {
  type CheckerVerdict,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  checkCutIsolation,
  internalViolations,
} from '@isolab/contract';
import { byPace } from '../../hints/pace.ts';
import type { Tuning } from '../../problem/tuning.ts';
import { Attempt } from './axioms/attempt.ts';
import { nameOfEdges } from './edges/explain.ts';
import { gatherFacts } from './edges/facts.ts';
import { decideWithChoices } from './sources/decide.ts';

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
  const roots = byPace(input.history);
  const attempt = new Attempt(facts, level, roots, tuning, (steps) => context.tick(steps));
  context.count('edges', attempt.edges.count);
  context.stage('traverse');
  for (const edges of attempt.contradictions(1, context.findAll)) {
    anomalies.push({ ...nameOfEdges(input.history, edges), certificate: { kind: 'cycle', edges } });
    if (!context.findAll) break;
  }
  if (anomalies.length > 0) return { status: 'violated', anomalies };
  if (input.index.ambiguousReads > 0)
    return decideWithChoices(input, level, merged(attempt.order, roots), tuning, context);
  if (!context.certify) return { status: 'satisfied' };
  context.stage('certify');
  return { status: 'satisfied', certificate: { kind: 'commit-order', order: Array.from(attempt.order) } };
}

/** Returns the transactions of an order, followed by all others. */
const merged = (order: Int32Array, all: Int32Array): Int32Array => Int32Array.from(new Set([...order, ...all]));
