/**
 * Decides a weak level with ambiguous reads. `order` satisfies the level for all certain facts. The certificate names
 * the writer of each ambiguous read, or the clauses that exclude all writers.
 */
import type { CheckerVerdict, FoundAnomaly, IndexedHistory, LevelName, RunContext } from '@isolab/contract';
import { type History, ReadFrom, transactionOf } from '@isolab/history';
import type { Tuning } from '../../../problem/tuning.ts';
import { nameOfEdges } from '../edges/explain.ts';
import type { EdgeFacts } from '../edges/facts.ts';
import type { Choices, GroundedClause } from './choices.ts';
import { type OpenReads, gatherOpenReads } from './open-reads.ts';
import { contradictoryClauses, refutation } from './refutation.ts';
import { guessedOrder, schedule } from './schedule.ts';
import { searchSources } from './search.ts';
import type { Selection } from './selection.ts';

export function decideWithChoices(
  input: IndexedHistory,
  level: LevelName,
  facts: EdgeFacts,
  order: Int32Array,
  byPace: Int32Array,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict {
  context.stage('solve');
  const { history, index } = input;
  const guess = guessedOrder(index, order, byPace);
  const roots = schedule(facts, gatherOpenReads(history, index, level, guess), guess);
  const open = gatherOpenReads(history, index, level, roots);
  const found = searchSources(input, level, open, roots, tuning, context);
  context.stage('certify');
  if (found.order === null)
    return { status: 'violated', anomalies: [anomalyOf(history, found.choices, context.certify)] };
  if (!context.certify) return { status: 'satisfied' };
  const sources = sourcesOf(index.readFrom, open, found.selection);
  return { status: 'satisfied', certificate: { kind: 'commit-order', order: Array.from(found.order), sources } };
}

/** Returns the writer that each ambiguous read saw. */
function sourcesOf(readFrom: Int32Array, { reads }: OpenReads, { sourceOf }: Selection): [number, number][] {
  const sources: [number, number][] = [];
  for (const read of reads) {
    const writer = sourceOf.get(read);
    if (writer === undefined) continue;
    for (const op of read.operations) if (readFrom[op] === ReadFrom.Ambiguous) sources.push([op, writer]);
  }
  return sources;
}

function anomalyOf(history: History, choices: Choices, certify: boolean): FoundAnomaly {
  const clauses = contradictoryClauses(choices);
  const named = nameOf(history, clauses);
  return certify ? { ...named, certificate: refutation(choices, clauses) } : named;
}

/** Names the anomaly after the last cycle that excludes choices; without one, a read has only impossible candidates. */
function nameOf(history: History, clauses: readonly GroundedClause[]): Pick<FoundAnomaly, 'name' | 'transactions'> {
  for (const { ground } of clauses.toReversed()) if (ground.kind === 'cycle') return nameOfEdges(history, ground.edges);
  const readers = clauses.flatMap(({ ground }) => (ground.kind === 'candidates' ? [ground.read] : []));
  return { name: 'thin-air-read', transactions: readers.map((read) => transactionOf(history, read)) };
}
