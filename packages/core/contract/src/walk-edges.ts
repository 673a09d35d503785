import { type History, OpKind, type OperationId, transactionOf } from '@isolab/history';
import type { AxiomsCertificate, AxiomsStep, Edge, OrderEdge, WalkStep } from './certificate.ts';
import { levelSelectedBy } from '@isolab/levels';
import { INITIAL_TXN } from './contract.ts';

/**
 * Returns the edges between transactions of a walk that an axiom forbids. Reads and events are replaced by their
 * transactions, and loops are left out.
 */
export function edgesOfWalk(history: History, walk: readonly WalkStep[]): Edge[] {
  return walk.flatMap((step) => edgesOfStep(history, step));
}

function edgesOfStep(history: History, step: WalkStep): Edge[] {
  if ('both' in step) {
    const sides = step.both.map((side) => edgesOfWalk(history, side));
    return sides.toSorted((a, b) => Number(isAssumed(a)) - Number(isAssumed(b)))[0]!;
  }
  if ('without' in step) return edgesOfWalk(history, step.without);
  const { relation, inverse = false } = step;
  const [from, to] = [txnOf(history, relation, step.from, 'from'), txnOf(history, relation, step.to, 'to')];
  // A step against a relation implies no order.
  if (from === to) return [];
  return inverse ? [] : [{ from, to, reason: reasonOf(history, step, from, to) }];
}

const isAssumed = (edges: readonly Edge[]): boolean => edges.every(({ reason }) => reason.kind === 'assumed');

function txnOf(history: History, relation: string, end: number, side: 'from' | 'to'): number {
  if (relation === 'before' || relation === 'time' || relation === '[begin]' || relation === '[commit]')
    return end >> 1;
  if (relation === 'begin' || relation === 'commit') return side === 'from' ? end : end >> 1;
  const isRead =
    READS.has(relation) ||
    levelSelectedBy(relation)?.isOfReads === true ||
    (side === 'from' ? relation === 'missed' : relation === 'seen' || relation === 'reads');
  return isRead ? transactionOf(history, end) : end;
}

const READS: ReadonlySet<string> = new Set(['po', 'same-key', 'same-value', '[predicate]']);

function reasonOf(
  history: History,
  step: Extract<WalkStep, { relation: string }>,
  from: number,
  to: number,
): Edge['reason'] {
  switch (step.relation) {
    case 'so':
      return { kind: 'session' };
    case 'rt':
    case 'time':
      return { kind: 'real-time' };
    case 'wr':
      return { kind: 'read-from', read: step.read! };
    case 'seen':
      return { kind: 'read-from', read: step.to };
    case 'rw':
    case 'missed':
      return overwrites(history, step.relation === 'rw' ? step.read! : step.from, step.writer ?? INITIAL_TXN, to);
    default:
      return from === INITIAL_TXN ? { kind: 'initial' } : { kind: 'assumed' };
  }
}

/** Returns the edge by which a reader comes before the overwriter of its version. */
function overwrites(
  { txnStart, opKind, opKey }: History,
  read: OperationId,
  writer: number,
  to: number,
): Edge['reason'] {
  const kind = writer === INITIAL_TXN ? 'initial' : 'assumed';
  const order: Edge[] = [{ from: writer, to, reason: { kind } }];
  for (let op = txnStart[to]!; op < txnStart[to + 1]!; op++)
    if ((opKind[op] === OpKind.Write || opKind[op] === OpKind.Append) && opKey[op] === opKey[read])
      return { kind: 'overwrites', read, write: op, order };
  return { kind: 'assumed' };
}

/** A step that shows one walk or several. */
type ShownStep = Extract<AxiomsStep, { kind: 'axiom' | 'cycle' }>;

/** Finds the clearest step of a proof: the step with the fewest assumptions, and among those the fewest edges. */
export function clearestStep({ steps }: AxiomsCertificate): ShownStep | null {
  const shown = steps.filter((step): step is ShownStep => step.kind === 'axiom' || step.kind === 'cycle');
  const size = (step: (typeof shown)[number]): number =>
    step.kind === 'axiom' ? step.walk.length : step.edges.reduce((sum, edge) => sum + walkOf(edge).length + 1, 0);
  return shown.toSorted((a, b) => a.clause.length - b.clause.length || size(a) - size(b))[0] ?? null;
}

const walkOf = (edge: OrderEdge): readonly WalkStep[] => (edge.kind === 'axiom' ? edge.walk : []);

/** Returns the cycle of edges between transactions that a step of a proof shows. */
export function edgesOfAxioms(history: History, step: ShownStep, order: AxiomsCertificate['order']): Edge[] {
  if (step.kind === 'axiom') return edgesOfWalk(history, step.walk);
  return step.edges.flatMap((edge): Edge[] => {
    const [from, to] = order === 'events' ? [edge.from >> 1, edge.to >> 1] : [edge.from, edge.to];
    // The last step of such a walk leads back, along the order.
    if (edge.kind === 'axiom') return edgesOfWalk(history, edge.from === edge.to ? edge.walk : edge.walk.slice(0, -1));
    if (from === to) return [];
    return [{ from, to, reason: edge.kind === 'version' ? { kind: 'version', read: edge.read } : { kind: 'assumed' } }];
  });
}

/** Returns the transactions in a step of a proof, without the initial transaction. */
export function transactionsOf(history: History, step: ShownStep, order: AxiomsCertificate['order']): number[] {
  const found = new Set<number>();
  const visit = (walk: readonly WalkStep[]): void => {
    for (const part of walk) {
      if ('both' in part) part.both.forEach(visit);
      else if ('without' in part) visit(part.without);
      else for (const side of ['from', 'to'] as const) found.add(txnOf(history, part.relation, part[side], side));
    }
  };
  if (step.kind === 'axiom') visit(step.walk);
  else
    for (const edge of step.edges) {
      for (const end of [edge.from, edge.to]) found.add(order === 'events' ? end >> 1 : end);
      visit(walkOf(edge));
    }
  found.delete(INITIAL_TXN);
  return [...found];
}

/** Returns the axioms, counted from 0, on which a step of a proof rests. */
export const axiomsOf = (step: ShownStep): number[] =>
  step.kind === 'axiom'
    ? [step.axiom]
    : [...new Set(step.edges.flatMap((edge) => (edge.kind === 'axiom' ? [edge.axiom] : [])))];
