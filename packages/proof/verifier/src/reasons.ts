import { type OperationId, isEarlierStatement } from '@isolab/history';
import { onlyKey } from './commit-order.ts';
import { type Fields, nameTxn, refuse, show } from './verdict/flaw.ts';
import type { Ground } from './ground.ts';
import { verifyVersion } from './facts/lists.ts';
import { begunBy, callOf, commitsAfter, isEarlier, returnOf } from './facts/real-time.ts';
import { type Rules, ordersEvents } from './facts/rules.ts';
import { BEGIN_BEFORE_COMMIT, COMMIT_BEFORE_BEGIN, COMMIT_BEFORE_COMMIT, type EdgeStep } from './step.ts';
import type { RawFacts } from './facts/raw-facts.ts';

/** An edge of a certificate. Only its ends have been checked. */
export interface RawEdge {
  readonly from: number;
  readonly to: number;
  readonly reason: Fields;
}

/** Verifies edges inside a reason and returns their composition. */
export type Path = (data: unknown, name: string) => EdgeStep;

type Order = Pick<EdgeStep, 'leaves' | 'arrives'>;

/** Returns the order of begins and commits that an edge states. Refuses if the reason does not hold. */
export function justify(ground: Ground, edge: RawEdge, path: Path): Order {
  const kind = edge.reason['kind'];
  if (typeof kind !== 'string' || !Object.hasOwn(REASONS, kind))
    refuse(`the reason is of kind ${show(kind)}, which does not exist`);
  return REASONS[kind as keyof typeof REASONS](ground, edge, path);
}

const REASONS = {
  session,
  initial,
  'read-from': readFrom,
  'assumed-read': readFrom,
  'real-time': realTime,
  overwritten,
  overwrites,
  version,
  assumed,
} as const satisfies Record<string, (ground: Ground, edge: RawEdge, path: Path) => Order>;

function session(ground: Ground, { from, to }: RawEdge): Order {
  const { txnSession } = ground.facts.history;
  if (!ground.rules.sessions) refuseReason(ground, 'session order');
  if (from < 0 || to < 0) refuse('the initial transaction belongs to no session');
  if (txnSession[from] !== txnSession[to]) refuse('they belong to different sessions');
  if (from > to) refuse(`transaction ${to} is earlier in the session`);
  needOneKey(ground, from, to);
  return COMMIT_BEFORE_BEGIN;
}

function initial(_: Ground, { from }: RawEdge): Order {
  if (from !== -1) refuse('only the initial transaction precedes all others');
  return COMMIT_BEFORE_BEGIN;
}

function readFrom(ground: Ground, { from, to, reason }: RawEdge): Order {
  const read = ground.read(reason['read']);
  if (ground.facts.txnOf[read] !== to) refuse(`operation ${read} does not belong to ${nameTxn(to)}`);
  ground.needReads(read, from);
  return COMMIT_BEFORE_BEGIN;
}

function realTime(ground: Ground, { from, to }: RawEdge): Order {
  const { history } = ground.facts;
  const asked = ground.rules.realTime;
  if (asked === 'none') refuseReason(ground, 'real time');
  if (from < 0 || to < 0) refuse('the initial transaction has no real time');
  needOneKey(ground, from, to);
  const end = returnOf(history, from);
  if (asked !== 'commits' && isEarlier(end, callOf(history, to))) return COMMIT_BEFORE_BEGIN;
  if (asked === 'returned') refuse(`transaction ${from} had not returned when transaction ${to} was called`);
  const commit = commitsAfter(history, to);
  if (isEarlier(end, commit)) return COMMIT_BEFORE_COMMIT;
  if (isEarlier(begunBy(history, from), commit)) return BEGIN_BEFORE_COMMIT;
  return refuse(`real time puts no event of transaction ${from} before one of transaction ${to}`);
}

function overwritten(ground: Ground, { from: t2, to: t1, reason }: RawEdge, path: Path): Order {
  if (ground.rules.axiom === 'none') refuseReason(ground, 'visibility to a reader');
  const write = ground.write(reason['write'], t2);
  const read = ground.read(reason['read']);
  const t3 = ground.facts.txnOf[read];
  needSameKey(ground, read, write);
  if (t1 === t3) refuse(`operation ${read} does not read from ${nameTxn(t1)}`);
  ground.needReads(read, t1);
  const seen = path(reason['visible'], 'visible edge');
  if (seen.from !== t2) refuse(`the visible edges begin at ${nameTxn(seen.from)}`);
  if (seen.to !== t3)
    refuse(`the visible edges end at ${nameTxn(seen.to)}, but operation ${read} belongs to transaction ${t3}`);
  requireVisibility(ground.facts, ground.rules, reason['visible'], seen, read);
  return betweenWriters(ground);
}

function overwrites(ground: Ground, { from: t3, to: t2, reason }: RawEdge, path: Path): Order {
  const { axiom } = ground.rules;
  if (axiom !== 'serial' && axiom !== 'serial-by-key' && !ordersEvents(ground.rules))
    refuseReason(ground, 'an overwritten read');
  const read = ground.read(reason['read']);
  if (ground.facts.txnOf[read] !== t3) refuse(`operation ${read} does not belong to ${nameTxn(t3)}`);
  const write = ground.write(reason['write'], t2);
  needSameKey(ground, read, write);
  const order = path(reason['order'], 'order edge');
  const t1 = order.from;
  if (t1 === t3) refuse(`the order edges begin at ${nameTxn(t1)} itself`);
  ground.needReads(read, t1);
  if (order.to !== t2) refuse(`the order edges end at ${nameTxn(order.to)}`);
  if (ordersEvents(ground.rules) && order.leaves !== 'commit')
    refuse(`the order edges do not show that ${nameTxn(t1)} commits before transaction ${t2} does`);
  return BEGIN_BEFORE_COMMIT;
}

function version(ground: Ground, { from, to, reason }: RawEdge): Order {
  const read = ground.read(reason['read']);
  ground.spend(verifyVersion(ground.facts, read, from, to) >> 4);
  return betweenWriters(ground);
}

function assumed(ground: Ground, { from, to }: RawEdge): Order {
  if (!ground.assumptions.isFirst(from, to)) refuse('no enclosing case assumes this edge');
  return betweenWriters(ground);
}

/**
 * The first of two writers of a key commits before the second commits or, if they exclude each other, before it begins.
 */
const betweenWriters = ({ rules }: Ground): Order =>
  rules.axiom === 'snapshot' ? COMMIT_BEFORE_BEGIN : COMMIT_BEFORE_COMMIT;

function needSameKey({ facts }: Ground, read: OperationId, write: number): void {
  const { opKey } = facts.history;
  if (opKey[read] !== opKey[write]) refuse(`operations ${read} and ${write} use different keys`);
}

/** Refuses unless both transactions use the same key, where levels are checked key by key and order only these. */
function needOneKey(ground: Ground, from: number, to: number): void {
  if (ground.rules.axiom !== 'serial-by-key') return;
  const { history } = ground.facts;
  const { txnStart } = history;
  ground.spend(txnStart[from + 1] - txnStart[from] + txnStart[to + 1] - txnStart[to]);
  if (onlyKey(history, from) !== onlyKey(history, to))
    refuse(`they use different keys, which ${ground.rules.level} does not order`);
}

const refuseReason = ({ rules }: Ground, what: string): never =>
  refuse(`${what} is not a reason at this level, ${rules.level}`);

/** Refuses unless already verified edges make `seen` visible to the reader as the level requires. */
function requireVisibility(facts: RawFacts, rules: Rules, visible: unknown, seen: EdgeStep, read: OperationId): void {
  const reasons = (visible as readonly { reason: { kind: string; read?: OperationId } }[]).map(({ reason }) => reason);
  const { axiom, level } = rules;
  switch (axiom) {
    case 'read-committed':
    case 'read-committed-dbcop': {
      const [reason] = reasons;
      if (reasons.length > 1 || !READS.has(reason!.kind))
        return refuse(`at ${level}, only an earlier read from it makes a transaction visible`);
      const { opKey } = facts.history;
      const earlier = reason!.read!;
      if (!isEarlierStatement(facts.history, earlier, read))
        refuse(`operation ${earlier} is not in a statement before that of operation ${read}`);
      if (axiom === 'read-committed' && opKey[earlier] === opKey[read])
        refuse(`operations ${earlier} and ${read} read the same key, which does not count at ${level}`);
      return;
    }
    case 'read-atomic':
      if (reasons.length > 1 || !DIRECT.has(reasons[0]!.kind))
        refuse(`at ${level}, only one session or read-from edge makes a transaction visible`);
      return;
    case 'causal':
      if (!reasons.every(({ kind }) => DIRECT.has(kind)))
        refuse(`at ${level}, only session and read-from edges make a transaction visible`);
      return;
    case 'prefix':
    case 'snapshot':
      if (seen.leaves !== 'commit' || seen.arrives !== 'begin')
        refuse(
          `the visible edges do not show that the commit of transaction ${seen.from} is before the begin of transaction ${seen.to}`,
        );
      break;
    default: // in serial orders all earlier transactions are visible
  }
}

const READS: ReadonlySet<string> = new Set(['read-from', 'assumed-read']);
const DIRECT: ReadonlySet<string> = new Set(['session', 'read-from', 'assumed-read']);
