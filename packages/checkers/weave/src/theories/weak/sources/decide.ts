/**
 * Decides a weak level with ambiguous reads. A SAT solver proposes the writer of every open read, and the axiom of the
 * level checks the history as if these writers were certain. The edges of each cycle, with the choices that they rest
 * on, become edges of the solver's graph, which must stay acyclic. Ends with an order and its writers, or with
 * contradictory clauses.
 */
import type { CheckerVerdict, Edge, FoundAnomaly, IndexedHistory, LevelName, RunContext } from '@isolab/contract';
import { NO_SOURCE } from '@isolab/graph/relations';
import { type History, ReadFrom, transactionOf } from '@isolab/history';
import type { Tuning } from '../../../problem/tuning.ts';
import { Attempt } from '../axioms/attempt.ts';
import { nameOfEdges } from '../edges/explain.ts';
import { type EdgeFacts, gatherFacts } from '../edges/facts.ts';
import { Choices, type GroundedClause, type Premise, type Sighting } from './choices.ts';
import { type OpenReads, gatherOpenReads } from './open-reads.ts';
import { contradictoryClauses, refutation } from './refutation.ts';
import { type Selection, select } from './selection.ts';
import { selectionAtPrefix } from './stronger.ts';

/** An order that satisfies the level, with the writers that open reads see in it; or contradictory choices. */
type Outcome =
  | { readonly order: Int32Array; readonly open: OpenReads; readonly selection: Selection }
  | { readonly order: null; readonly choices: Choices };

export function decideWithChoices(
  input: IndexedHistory,
  level: LevelName,
  roots: Int32Array,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict {
  const { history, index } = input;
  context.stage('solve');
  const found = search(input, level, roots, tuning, context);
  context.stage('certify');
  if (found.order === null)
    return { status: 'violated', anomalies: [anomalyOf(history, found.choices, context.certify)] };
  if (!context.certify) return { status: 'satisfied' };
  const sources = sourcesOf(index.readFrom, found.open, found.selection);
  return { status: 'satisfied', certificate: { kind: 'commit-order', order: Array.from(found.order), sources } };
}

function search(
  input: IndexedHistory,
  level: LevelName,
  roots: Int32Array,
  tuning: Tuning,
  context: RunContext,
): Outcome {
  const charge = (steps: number): void => context.tick(steps);
  const { history, index } = input;
  const open = gatherOpenReads(history, index, level, roots);
  const factsOf = (chosen: typeof index): EdgeFacts => {
    const facts = gatherFacts(history, chosen);
    if (level === 'read-committed-pl2') facts.previous.fill(-1); // sessions do not count
    return facts;
  };
  const attempt = (selection: Selection, along: Int32Array): Attempt =>
    new Attempt(factsOf(selection.index), level, along, tuning, charge);
  const choices = new Choices(open, charge);
  for (let isFirst = true; choices.solve();) {
    charge(open.reads.length + 1);
    const selection = select(history, index, open, choices);
    if (selection === null) continue;
    const tried = attempt(selection, roots);
    if (tried.isSatisfied) return { order: tried.order, open, selection };
    if (isFirst) {
      isFirst = false;
      const stronger = selectionAtPrefix(input, open, tuning, context);
      const again = stronger && attempt(stronger.selection, stronger.roots);
      if (again?.isSatisfied) return { order: again.order, open, selection: stronger!.selection };
      choices.addEdges(certainEdges(factsOf(index)));
    }
    for (const edges of tried.contradictions(tuning.cyclePasses)) {
      context.count('conflicts', 1);
      choices.addEdges(edges.map((edge) => premiseOf(edge, open, selection)));
    }
  }
  return { order: null, choices };
}

/** Returns the edges that hold for every choice. */
function certainEdges({ history: { txnStart }, happened, previous, source }: EdgeFacts): Premise[] {
  const edges: Premise[] = [];
  const add = (from: number, to: number, reason: Edge['reason']): void => {
    if (from >= 0) edges.push({ edge: { from, to, reason }, sightings: [] });
  };
  for (let t = 0; t < happened.length; t++) {
    add(previous[t], t, { kind: 'session' });
    for (let read = txnStart[t]; read < txnStart[t + 1]; read++) add(source[read], t, { kind: 'read-from', read });
  }
  return edges;
}

/**
 * Returns an edge with the sightings that it rests on: those of its reads, and one of each other optional transaction.
 */
function premiseOf(edge: Edge, open: OpenReads, selection: Selection): Premise {
  const sightings = new Map<string, Sighting>();
  const happened = new Set<number>();
  const edges = [edge, ...(edge.reason.kind === 'overwritten' ? edge.reason.visible : [])];
  for (const { reason } of edges) {
    if (reason.kind !== 'read-from' && reason.kind !== 'overwritten') continue;
    const read = open.readOf[reason.read] < 0 ? undefined : open.reads[open.readOf[reason.read]];
    if (read === undefined) continue;
    const writer = selection.sourceOf(read);
    sightings.set(`${read.operations[0]} ${writer}`, { read, writer });
    happened.add(read.reader).add(writer);
  }
  for (const t of edges.flatMap(({ from, to }) => [from, to])) {
    if (t < 0 || open.optional[t] === 0 || happened.has(t)) continue;
    const { read, writer } = selection.seenBy.get(t)!;
    sightings.set(`${read.operations[0]} ${writer}`, { read, writer });
  }
  return { edge: assumed(edge, open), sightings: [...sightings.values()] };
}

/** Marks an edge whose read is settled by a choice. */
function assumed(edge: Edge, open: OpenReads): Edge {
  const { reason } = edge;
  if (reason.kind === 'overwritten')
    return { ...edge, reason: { ...reason, visible: reason.visible.map((part) => assumed(part, open)) } };
  const isChosen = reason.kind === 'read-from' && open.readOf[reason.read] >= 0;
  return isChosen ? { ...edge, reason: { kind: 'assumed-read', read: reason.read } } : edge;
}

/** Returns the writer that each ambiguous read saw. */
const sourcesOf = (readFrom: Int32Array, { reads }: OpenReads, selection: Selection): [number, number][] =>
  reads.flatMap((read) => {
    const writer = selection.sourceOf(read);
    const ambiguous = read.operations.filter((op) => readFrom[op] === ReadFrom.Ambiguous);
    return writer === NO_SOURCE ? [] : ambiguous.map((op): [number, number] => [op, writer]);
  });

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
