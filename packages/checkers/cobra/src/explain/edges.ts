import { type Edge, INITIAL_TXN } from '@isolab/contract';
import { Decision, Known, Order, type Polygraph, headOf, tailOf } from '@isolab/polygraph';
import { type Problem, txnOfNode } from '../polygraph/problem.ts';

/** A polygraph of a history, whose edges can be explained. */
export interface Subject extends Problem {
  readonly polygraph: Polygraph;
}

/**
 * The edges from one version's transaction to the transaction of another version, which is later according to `order`.
 */
export type OrderPath = (first: number, second: number, order: number) => readonly Edge[];

export const txnOfVersion = ({ versions }: Subject, version: number): number => versions.txnOf[versions.node[version]];

/** A known edge as edges of a certificate; none for an edge from a transaction to itself. */
export function explainKnown(subject: Subject, edge: number, orderPath: OrderPath): readonly Edge[] {
  const { polygraph, versions } = subject;
  const { ends, kind, read, order } = polygraph.known;
  const from = txnOfNode(subject, ends.from[edge]);
  const to = txnOfNode(subject, ends.to[edge]);
  switch (kind.items[edge]) {
    case Known.Within:
      return [];
    case Known.Session:
      return [{ from, to, reason: { kind: 'session' } }];
    case Known.ReadFrom:
      return [{ from, to, reason: { kind: 'read-from', read: read.items[edge] } }];
    case Known.Overwritten: {
      const path = orderOf(subject, edge, orderPath);
      const write = versions.write[laterVersion(subject, edge)];
      return [{ from, to, reason: { kind: 'overwrites', read: read.items[edge], write, order: path } }];
    }
    case Known.Written:
      return orderOf(subject, edge, orderPath);
    default:
      throw new Error(`A known edge of kind ${kind.items[edge]} and order ${order.items[edge]} has no reason.`);
  }
}

/** An edge of an undecided side, supposing that `path` gives the order of the versions concerned. */
export function explainOpen(subject: Subject, constraint: number, edge: number, orderPath: OrderPath): readonly Edge[] {
  const { polygraph, versions } = subject;
  const { constraints } = polygraph;
  const isEither = edge < constraints.start[2 * constraint + 1];
  const { tail, head } = versionsOf(subject, constraint, isEither);
  const path = orderPath(tail, head, constraint);
  const read = constraints.read.items[edge];
  if (read < 0) return path;
  const from = txnOfNode(subject, constraints.from.items[edge]);
  const to = txnOfNode(subject, constraints.to.items[edge]);
  return [{ from, to, reason: { kind: 'overwrites', read, write: versions.write[head], order: path } }];
}

/** The last version of the chain that a side puts first, and the first version of the other chain. */
export function versionsOf({ chains, polygraph }: Subject, constraint: number, isEither: boolean) {
  const { first, second } = polygraph.constraints;
  const [before, after] = isEither
    ? [first.items[constraint], second.items[constraint]]
    : [second.items[constraint], first.items[constraint]];
  return { tail: tailOf(chains, before), head: headOf(chains, after), before, after };
}

/**
 * The reason why the version that a known anti-dependency read, or that its source wrote, precedes the later version.
 */
function orderOf(subject: Subject, edge: number, orderPath: OrderPath): readonly Edge[] {
  const { versions, chains, polygraph } = subject;
  const order = polygraph.known.order.items[edge];
  const later = laterVersion(subject, edge);
  if (order === Order.Direct) {
    const to = txnOfVersion(subject, later);
    const before = versions.overwrites[later];
    const read = versions.overwritesRead[later];
    // Either its transaction read this version, or the version is the initial state.
    if (before >= 0 && before < versions.write.length && readsRow(subject, edge, before))
      return [{ from: txnOfVersion(subject, before), to, reason: { kind: 'read-from', read } }];
    return [{ from: INITIAL_TXN, to, reason: { kind: 'initial' } }];
  }
  if (order === Order.Base) return orderPath(tailOf(chains, chains.base[versions.key[later]]), later, order);
  const { tail, head } = versionsOf(subject, order, polygraph.constraints.decision.items[order] === Decision.Either);
  return orderPath(tail, head, order);
}

function readsRow({ versions, polygraph }: Subject, edge: number, row: number): boolean {
  const read = polygraph.known.read.items[edge];
  for (let i = versions.readerStart[row]; i < versions.readerStart[row + 1]; i++)
    if (versions.read[i] === read) return true;
  return false;
}

/** The version that the target of an anti-dependency or of a write dependency wrote. */
function laterVersion(subject: Subject, edge: number): number {
  const { known, constraints } = subject.polygraph;
  const constraint = known.order.items[edge];
  if (constraint < 0) return known.version.items[edge];
  return versionsOf(subject, constraint, constraints.decision.items[constraint] === Decision.Either).head;
}
