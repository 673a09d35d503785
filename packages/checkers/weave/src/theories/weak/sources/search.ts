/**
 * Chooses the writer of every open read, and checks the history as if these writers were certain. Each cycle excludes
 * a set of choices; then the search chooses again. Ends with an order and its writers, or with contradictory clauses.
 */
import type { Edge, IndexedHistory, LevelName, RunContext } from '@isolab/contract';
import type { History } from '@isolab/history';
import type { Tuning } from '../../../problem/tuning.ts';
import { gatherFacts } from '../edges/facts.ts';
import { type Attempt, tryOrder } from './attempt.ts';
import { Choices, type Sighting } from './choices.ts';
import type { OpenReads } from './open-reads.ts';
import { type Selection, indexOf, select } from './selection.ts';
import { selectionAtPrefix } from './stronger.ts';

/** An order that satisfies the level, with the writers that open reads see in it; or contradictory choices. */
export type SourcesOutcome =
  | { readonly order: Int32Array; readonly selection: Selection }
  | { readonly order: null; readonly choices: Choices };

export function searchSources(
  input: IndexedHistory,
  level: LevelName,
  open: OpenReads,
  roots: Int32Array,
  tuning: Tuning,
  context: RunContext,
): SourcesOutcome {
  const charge = (steps: number): void => context.tick(steps);
  const { history, index } = input;
  const tryIt = (selection: Selection, along: Int32Array): Attempt => {
    const facts = gatherFacts(history, indexOf(history, index, selection));
    if (level === 'read-committed-pl2') facts.previous.fill(-1); // sessions do not count
    return tryOrder(facts, level, along, tuning, charge);
  };
  const choices = new Choices(open, charge);
  for (let attempts = 0; choices.solve();) {
    charge(open.reads.length + 1);
    const selection = select(index, open, choices);
    if (selection === null) continue;
    const attempt = tryIt(selection, roots);
    if (attempt.order !== null) return { order: attempt.order, selection };
    if (++attempts === tuning.weakAttempts) {
      const stronger = selectionAtPrefix(input, open, tuning, context);
      const order = stronger === null ? null : tryIt(stronger.selection, stronger.roots).order;
      if (order !== null) return { order, selection: stronger!.selection };
    }
    context.count('conflicts', attempt.cycles.length);
    for (const edges of attempt.cycles) {
      const short = withoutDetours(edges, history, level);
      choices.addCycle(sightingsOf(short, open, selection), assumed(short, open));
    }
  }
  return { order: null, choices };
}

/**
 * Reduces the choices that the edges rest on: session order replaces other reasons where possible, and detours through
 * other transactions of the session are removed.
 */
function withoutDetours(edges: readonly Edge[], history: History, level: LevelName): Edge[] {
  const { txnSession } = history;
  const short: Edge[] = [];
  for (const edge of edges) {
    const { from, to, reason } = edge;
    if (reason.kind === 'overwritten') {
      const sessionsShow = !level.startsWith('read-committed');
      const visible = sessionsShow ? withoutDetours(reason.visible, history, level) : reason.visible;
      short.push({ ...edge, reason: { ...reason, visible } });
      continue;
    }
    const isInSession = level !== 'read-committed-pl2' && from >= 0 && from < to && txnSession[from] === txnSession[to];
    if (!isInSession) {
      short.push(edge);
      continue;
    }
    const last = short.at(-1);
    const first = last?.reason.kind === 'session' ? short.pop()!.from : from;
    short.push({ from: first, to, reason: { kind: 'session' } });
  }
  return short;
}

/** Returns the sightings that edges rest on: the sightings of their reads, and one of each optional transaction. */
function sightingsOf(edges: readonly Edge[], { reads, readOf, optional }: OpenReads, selection: Selection): Sighting[] {
  const sightings = new Map<string, Sighting>();
  const happened = new Set<number>();
  const add = (sighting: Sighting): void => {
    const { read, writer } = sighting;
    sightings.set(`${read.operations[0]} ${writer}`, sighting);
    happened.add(read.reader).add(writer);
  };
  const everyEdge = edges.flatMap((edge) => [edge, ...(edge.reason.kind === 'overwritten' ? edge.reason.visible : [])]);
  for (const { reason } of everyEdge) {
    if (reason.kind !== 'read-from' && reason.kind !== 'overwritten') continue;
    const read = readOf[reason.read] < 0 ? undefined : reads[readOf[reason.read]];
    if (read) add({ read, writer: selection.sourceOf.get(read)! });
  }
  for (const { from, to } of everyEdge)
    for (const t of [from, to]) if (t >= 0 && optional[t] === 1 && !happened.has(t)) add(selection.seenBy.get(t)!);
  return [...sightings.values()];
}

/** Marks the edges whose reads are settled by a choice. */
const assumed = (edges: readonly Edge[], open: OpenReads): Edge[] =>
  edges.map((edge): Edge => {
    const { reason } = edge;
    if (reason.kind === 'overwritten')
      return { ...edge, reason: { ...reason, visible: assumed(reason.visible, open) } };
    const isChosen = reason.kind === 'read-from' && open.readOf[reason.read] >= 0;
    return isChosen ? { ...edge, reason: { kind: 'assumed-read', read: reason.read } } : edge;
  });
