import { type AnomalyName, type Edge, type FoundAnomaly, INITIAL_TXN } from '@isolab/contract';
import type { Dependencies } from './dependencies/dependencies.ts';
import { type Premise, type PremiseStep, directStep } from './premises.ts';
import type { Saturation } from './saturation.ts';
import { type Sources, findSource } from './dependencies/sources.ts';

export interface ViolationFacts {
  readonly deps: Dependencies;
  readonly sources: Sources;
  /** Null before saturation, when all edges belong to SO ∪ WR. */
  readonly saturated: { readonly premise: Premise; readonly saturation: Saturation } | null;
}

/**
 * An edge t₂ → t₁ of the saturation: the read of t₁ that requires t₂ to come first, and why t₂ is visible to the
 * reader.
 */
interface Overwritten {
  readonly t2: number;
  readonly read: number;
  readonly visible: readonly PremiseStep[];
}

/** Anomaly of a cycle, in which every node follows one of its predecessors. */
export function anomalyOfCycle(facts: ViolationFacts, cycle: readonly number[], certify: boolean): FoundAnomaly {
  const edges: Edge[] = [];
  const overwritten: Overwritten[] = [];
  for (let i = 0; i < cycle.length; i++) {
    const from = cycle[i];
    const to = cycle[(i + 1) % cycle.length];
    const step = directStep(facts.deps, facts.sources, from, to);
    if (step) {
      edges.push(edgeOfStep(facts.deps, step));
    } else {
      const cause = overwrittenBetween(facts, from, to);
      overwritten.push(cause);
      edges.push(edgeOfOverwritten(facts.deps, cause, facts.deps.txnOf[to]));
    }
  }
  return anomaly(facts, joinSessionEdges(edges), overwritten, certify);
}

/** The anomaly of a node that would have to precede the initial transaction. */
export function anomalyBeforeInitial(
  facts: ViolationFacts,
  node: number,
  read: number,
  certify: boolean,
): FoundAnomaly {
  const cause = { t2: node, read, visible: facts.saturated!.premise.evidence(node, read) };
  const edges: Edge[] = [
    { from: INITIAL_TXN, to: facts.deps.txnOf[node], reason: { kind: 'initial' } },
    edgeOfOverwritten(facts.deps, cause, INITIAL_TXN),
  ];
  return anomaly(facts, edges, [cause], certify);
}

function anomaly(
  facts: ViolationFacts,
  edges: readonly Edge[],
  overwritten: readonly Overwritten[],
  certify: boolean,
): FoundAnomaly {
  const { txnOf, reader } = facts.deps;
  const transactions = [...edges.map(({ from }) => from), ...overwritten.map(({ read }) => txnOf[reader[read]])];
  return {
    name: nameOf(facts, overwritten),
    transactions: [...new Set(transactions)],
    ...(certify && { certificate: { kind: 'cycle', edges } }),
  };
}

function overwrittenBetween({ saturated }: ViolationFacts, t2: number, t1: number): Overwritten {
  const { premise, saturation } = saturated!;
  const { start, target } = saturation.edges;
  const i = target.indexOf(t2, start[t1]);
  const read = saturation.read[i];
  return { t2, read, visible: premise.evidence(t2, read) };
}

const edgeOfStep = ({ txnOf, readOp }: Dependencies, { from, to, read }: PremiseStep): Edge => ({
  from: txnOf[from],
  to: txnOf[to],
  reason: read < 0 ? { kind: 'session' } : { kind: 'read-from', read: readOp[read] },
});

function edgeOfOverwritten(deps: Dependencies, { t2, read, visible }: Overwritten, to: number): Edge {
  const { readOp, readKey, txnOf, writer, writerStart, lastWrite } = deps;
  const write = lastWrite[writer.indexOf(t2, writerStart[readKey[read]])];
  const steps = visible.map((step) => edgeOfStep(deps, step));
  return { from: txnOf[t2], to, reason: { kind: 'overwritten', write, read: readOp[read], visible: steps } };
}

/** Session order is transitive, so consecutive steps of one session become one edge. */
function joinSessionEdges(edges: readonly Edge[]): Edge[] {
  // A cycle may begin within a session. It is rotated to begin with another edge, so that no edges have to be joined
  // across its start.
  const turn = Math.max(
    0,
    edges.findIndex(({ reason }) => reason.kind !== 'session'),
  );
  const joined: Edge[] = [];
  for (const edge of [...edges.slice(turn), ...edges.slice(0, turn)]) {
    const last = joined.at(-1);
    if (last?.reason.kind === 'session' && edge.reason.kind === 'session')
      joined[joined.length - 1] = { from: last.from, to: edge.to, reason: last.reason };
    else joined.push(edge);
  }
  return joined;
}

/** A cycle is named after the strongest premise in it. */
function nameOf({ deps, sources }: ViolationFacts, overwritten: readonly Overwritten[]): AnomalyName {
  const names = new Set(overwritten.map((cause) => nameOfCause(deps, sources, cause)));
  const strongestFirst = [
    'causality-violation',
    'fractured-read',
    'session-guarantee-violation',
    'non-monotonic-read',
  ] as const;
  return strongestFirst.find((name) => names.has(name)) ?? 'G1c';
}

function nameOfCause(deps: Dependencies, sources: Sources, { t2, read, visible }: Overwritten): AnomalyName {
  const { reader, readStatement } = deps;
  const i = findSource(sources, reader[read], t2);
  if (i >= 0)
    return readStatement[sources.firstRead[i]] < readStatement[read] ? 'non-monotonic-read' : 'fractured-read';
  return visible.length === 1 ? 'session-guarantee-violation' : 'causality-violation';
}
