import {
  type Edge,
  type FoundAnomaly,
  INITIAL_TXN,
  type InternalCertificate,
  type ListsCertificate,
  type UpdatesCertificate,
} from '@isolab/contract';
import {
  type History,
  type InternalAnomalyName,
  OpKind,
  type OperationId,
  type TransactionId,
  buildReadFrom,
  transactionOf,
  capitalised,
} from '@isolab/history';
import { orderKey } from './argument.ts';
import { clockFact } from './clock.ts';
import { type EdgeList, writeRead } from './edge-list.ts';
import type { Names } from './names.ts';
import { aggregatesSentence } from './aggregates.ts';
import { timestampsSentence } from './timestamps.ts';

export interface Plot {
  readonly names: Names;
  readonly list: EdgeList;
  readonly edges: readonly Edge[];
  readonly name: string;
  readonly anomaly: FoundAnomaly;
}

/** Describes the anomaly in one sentence without technical terms; null if one sentence does not suffice. */
export function headlineOf(plot: Plot): string | null {
  const { certificate } = plot.anomaly;
  const sentence =
    certificate?.kind === 'internal'
      ? INTERNAL[certificate.anomaly as InternalAnomalyName](plot.names, certificate)
      : certificate?.kind === 'lists'
        ? ofLists(plot.names, certificate)
        : certificate?.kind === 'updates'
          ? ofUpdates(plot.names, certificate)
          : certificate?.kind === 'timestamps'
            ? timestampsSentence(plot.names, certificate)
            : certificate?.kind === 'aggregates'
              ? aggregatesSentence(plot.names)
              : (plot.name === 'lost-update' && ofLostUpdate(plot)) || ofScans(plot) || ofCycle(plot);
  return sentence === null || sentence.length > LONGEST ? null : `${capitalised(sentence)}.`;
}

type Tell = (names: Names, certificate: InternalCertificate) => string;

const INTERNAL: Readonly<Record<InternalAnomalyName, Tell>> = {
  'thin-air-read': (names, { read }) =>
    `${actor(names, read)} ${names.reads(read)}, ${names.rows(read) ? 'and no transaction left it in that state' : 'which no transaction wrote'}`,
  'aborted-read': (names, { read, other }) =>
    names.rows(read)
      ? `${actor(names, read)} ${names.reads(read)}, as left by ${actor(names, other)}, which aborted`
      : `${actor(names, read)} reads ${names.version(read)}, which was never committed: ${actor(names, other)} wrote it and aborted`,
  'future-read': (names, { read, other }) =>
    names.rows(read)
      ? `${actor(names, read)} ${names.reads(read)}, and only then ${names.writes(other)}`
      : `${actor(names, read)} reads ${names.version(read)} before it writes that value itself`,
  'not-my-own-write': (names, { read, other }) =>
    `${actor(names, read)} ${names.writes(other)} and then ${names.reads(read)}${names.rows(read) ? ': it misses its own write' : ', not its own write'}`,
  'not-my-last-write': (names, { read, other }) =>
    `${actor(names, read)} ${names.writes(other)} and then ${names.reads(read)}${names.rows(read) ? ', as its own earlier write left it' : ', which it had overwritten itself'}`,
  'intermediate-read': (names, { read, other }) =>
    names.rows(read)
      ? `${actor(names, read)} ${names.reads(read)}, as ${actor(names, other)} left it before changing it again and committing`
      : names.history.opKind[read] === OpKind.ListRead
        ? `${actor(names, read)} reads ${names.version(read)}, an intermediate list to which ${actor(names, other)} appended more before it committed`
        : `${actor(names, read)} reads ${names.version(read)}, an intermediate value that ${actor(names, other)} overwrote before it committed`,
  'non-repeatable-read': (names, { read, other }) =>
    names.rows(read)
      ? `${actor(names, read)} ${names.reads(other)}, and later ${names.reads(read)}, without ${names.isOfCounter(read) ? 'incrementing the counter' : 'writing that row'} in between`
      : `${actor(names, read)} reads ${names.version(other)} and later ${names.version(read)}, without writing it in between`,
};

const actor = (names: Names, op: OperationId): string => names.txn(transactionOf(names.history, op));

function ofLists(names: Names, { anomaly, read, other }: ListsCertificate): string {
  const first = `${actor(names, read)} reads ${names.version(read)}`;
  if (anomaly === 'duplicate-elements')
    return `${first}, which contains ${names.value(other)} more often than ${actor(names, other)} appended it`;
  return names.history.opKind[other] === OpKind.ListRead
    ? `${first}, but ${actor(names, other)} reads ${names.version(other)}: no order of the appends explains both`
    : `${first}, which separates the elements that ${actor(names, other)} appended in one transaction`;
}

/** Describes two transactions that read the same version and both overwrite it. */
const ofUpdates = (names: Names, { reads }: UpdatesCertificate): string =>
  `${reads.length} transactions read ${names.version(reads[0]!)} and overwrite it, but at most ${reads.length - 1} writes can have produced that value: an update is lost`;

function ofLostUpdate({ names, list }: Plot): string | null {
  const { history } = names;
  const { readFrom } = buildReadFrom(history);
  const updates = [...list.inCycle].flatMap((t) => (t === INITIAL_TXN ? [] : updatesOf(history, t)));
  for (const one of updates) {
    const other = updates.find(
      (candidate) =>
        transactionOf(history, candidate) > transactionOf(history, one) &&
        history.opKey[candidate] === history.opKey[one] &&
        readFrom[candidate] === readFrom[one] &&
        names.value(candidate) === names.value(one),
    );
    if (other === undefined) continue;
    const how = history.opKind[one] === OpKind.ListRead ? 'append to it' : 'overwrite it';
    if (names.rows(one))
      return `${actor(names, one)} ${names.reads(one)}, and so does ${actor(names, other)}; both write that row, and neither sees the other: one of the two updates is lost`;
    return `${actor(names, one)} and ${actor(names, other)} both read ${names.version(one)} and both ${how}, and neither sees the other: one of the two updates is lost`;
  }
  return null;
}

/** The first external read of each key in a transaction. */
function updatesOf({ txnStart, opKind, opKey }: History, t: number): number[] {
  const reads = new Map<number, number>();
  const updates: number[] = [];
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    const key = opKey[op];
    const isRead = opKind[op] === OpKind.Read || opKind[op] === OpKind.ListRead;
    if (isRead && !reads.has(key)) reads.set(key, op);
    const read = reads.get(key);
    if (!isRead && read !== undefined && !updates.includes(read)) updates.push(read);
  }
  return updates;
}

/** Describes one scan that sees only a part of another transaction, or two scans where only one sees it. */
function ofScans({ names, edges, name }: Plot): string | null {
  const seeing = edges.find(({ reason }) => reason.kind === 'read-from');
  const missing = edges.find(({ reason }) => reason.kind === 'overwrites');
  if (edges.length !== 2 || seeing?.reason.kind !== 'read-from' || missing?.reason.kind !== 'overwrites') return null;
  const [reader, writer] = [names.txn(seeing.to), names.txn(seeing.from)];
  const [seen, { read: unseen, write }] = [seeing.reason.read, missing.reason];
  if ([seen, unseen].some((read) => names.view?.kindOf(read) !== 'scan')) return null;
  if (name === 'PMP') {
    const [first, second] = [seen, unseen].toSorted((a, b) => a - b);
    return `${reader} ${names.reads(first!)}, and later ${names.reads(second!)}: ${writer} ${names.writes(write)}, and only one of the two scans sees ${writer}`;
  }
  if (name !== 'G1-predicate') return null;
  return `${reader}’s ${names.rows(seen)!.nounOf(seen)} sees ${writer}’s ${seenBy(names, seeing.from, seen)} but not its ${names.made(write)}`;
}

/**
 * Writes a clause for each transaction about its observation and the write that it missed, and then the contradiction.
 */
function ofCycle(plot: Plot): string | null {
  const { names, edges, list } = plot;
  const isSupposed = ({ from, to, reason }: Edge): boolean =>
    reason.kind === 'assumed-read' ||
    (reason.kind === 'assumed' && !list.reasons.proven.has(orderKey(from, to))) ||
    (reason.kind === 'overwrites' && reason.order.some(isSupposed));
  if (edges.length === 0 || edges.some(isSupposed)) return null;
  const clauses: string[] = [];
  edges.forEach((edge, i) => {
    const before = edges[i - 1];
    const isGoingOn = i > 0 && edge.reason.kind === 'overwrites' && SEEING.has(before!.reason.kind);
    if (isGoingOn) clauses[clauses.length - 1] += ` but ${missed(names, edge, before!.from)}`;
    else if (edge.reason.kind === 'overwrites') clauses.push(`${names.txn(edge.from)} ${missed(names, edge, null)}`);
    else clauses.push(saw(names, list, edge));
  });
  if (clauses.length > MOST_CLAUSES) return null;
  const isShort = clauses.length === 2 && !clauses.some((clause) => clause.includes(','));
  return `${clauses.join(isShort ? ', and ' : '; ')}${ending(names, edges)}`;
}

const SEEING: ReadonlySet<string> = new Set(['read-from', 'session', 'real-time']);

function missed(names: Names, { to, reason }: Edge, seen: number | null): string {
  if (reason.kind !== 'overwrites') return '';
  const whose = to === seen ? 'its' : `${names.txn(to)}’s`;
  const rows = names.rows(reason.read);
  const concerns = rows?.concerns(reason.read, reason.write, 'its') ?? null;
  return `does not see ${whose} ${names.made(reason.write)}${concerns === null ? '' : `, ${concerns}`} (${rows?.saw(reason.read) ?? `it reads ${names.version(reason.read)}`})`;
}

function saw(names: Names, { reasons }: EdgeList, { from, to, reason }: Edge): string {
  const [a, b] = [names.txn(from), names.txn(to)];
  switch (reason.kind) {
    case 'session':
      return `${b} comes after ${a} in ${names.session(to)}`;
    case 'real-time': {
      const fact = clockFact(names.history, from as TransactionId, to as TransactionId);
      if (fact === null) return `${b} comes after ${a} in real time`;
      return `${b} ${fact.second === 'called' ? 'began' : 'asked to commit'} after ${a} ${fact.first === 'ended' ? 'ended' : 'had begun'}`;
    }
    case 'read-from':
    case 'assumed-read':
      return from === INITIAL_TXN
        ? `${b} ${names.reads(reason.read)}`
        : `${b} sees ${a}’s ${seenBy(names, from, reason.read)}`;
    case 'overwritten': {
      const reader = actor(names, reason.read);
      const whose = to === INITIAL_TXN ? 'the initial state' : `from ${b}`;
      const rows = names.rows(reason.read);
      const read = rows
        ? `${names.reads(reason.read)}, as ${to === INITIAL_TXN ? 'it was initially' : `${b} left it`}`
        : `reads ${names.version(reason.read)} ${whose}`;
      return `${reader} sees ${a} but ${read}, so ${b} must have overwritten ${a}’s ${names.made(reason.write)}`;
    }
    case 'version':
      return `${actor(names, reason.read)} reads ${names.version(reason.read)}, with ${a}’s append before any append by ${b}`;
    case 'assumed':
      return `${b} can only have written ${reasons.commonKey(from, to)} after ${a}`;
    default:
      return `${b} comes after ${a}: ${reasons.because({ from, to, reason })}`;
  }
}

function seenBy(names: Names, writer: number, read: OperationId): string {
  if (names.rows(read)) {
    const write = writeRead(names, writer, read);
    if (write >= 0) return names.made(write);
  }
  if (names.history.opKind[read] === OpKind.ListRead) return `append in ${names.version(read)}`;
  const key = names.key(read);
  return key.startsWith('key ') ? `write of ${names.value(read)} to ${key}` : names.version(read);
}

/** Explains why the facts contradict each other, unless that is obvious. */
function ending(names: Names, edges: readonly Edge[]): string {
  const misses = edges.filter(({ reason }) => reason.kind === 'overwrites');
  if (misses.length === edges.length && edges.length > 1)
    return `: whichever came first, ${edges.length === 2 ? 'the other' : 'another one'} should have seen its write`;
  if (misses.length === 2) {
    const [a, b] = misses.map(({ to }) => names.txn(to));
    return a === b ? '' : `: they disagree on whether ${a} or ${b} came first`;
  }
  if (misses.length > 0) return '';
  return edges.length === 2 ? ': each would have to come before the other' : ': each would have to come before itself';
}

const LONGEST = 480;
const MOST_CLAUSES = 6;
