import type { SnapshotTime, TimestampsCertificate } from '@isolab/contract';
import {
  type History,
  NO_TIME,
  OpKind,
  type OperationId,
  TxnStatus,
  capitalised,
  transactionOf,
} from '@isolab/history';
import type { StorySentence } from '@isolab/story';
import type { EdgeList } from './edge-list.ts';
import type { Names } from './names.ts';

/** The transactions that take part in a contradiction of timestamps. */
export function partsOf(history: History, certificate: TimestampsCertificate): number[] {
  switch (certificate.axiom) {
    case 'EXT':
      return [...expectedOf(history, certificate), transactionOf(history, certificate.read)];
    case 'NOCONFLICT':
      return certificate.writes.map((op) => transactionOf(history, op));
    case 'SESSION':
      return [certificate.first, certificate.second];
    case 'ORDER':
      return [certificate.transaction];
  }
}

/** The transaction whose write a read should have seen according to the timestamps, if any. */
function expectedOf(
  history: History,
  { read, at }: { readonly read: OperationId; readonly at: SnapshotTime },
): number[] {
  const { txnStart, txnStatus, txnStartTs, txnCommitTs, opKind, opKey } = history;
  const reader = transactionOf(history, read);
  const from = (at === 'start' ? txnStartTs : txnCommitTs)?.[reader] ?? NO_TIME;
  let latest = -1;
  for (let t = 0; t < txnStatus.length; t++) {
    const commit = txnCommitTs?.[t] ?? NO_TIME;
    if (t === reader || txnStatus[t] !== TxnStatus.Committed || commit > from) continue;
    if (latest >= 0 && commit < txnCommitTs![latest]) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if (opKey[op] === opKey[read] && (opKind[op] === OpKind.Write || opKind[op] === OpKind.Append)) latest = t;
  }
  return latest < 0 ? [] : [latest];
}

/** Explains a contradiction between the database's timestamps and its clients' reads. */
export function tellTimestamps(names: Names, list: EdgeList, certificate: TimestampsCertificate): StorySentence[] {
  list.cast(partsOf(names.history, certificate));
  if (certificate.axiom === 'EXT') list.operations.set(certificate.read, 'read');
  const operations =
    certificate.axiom === 'EXT' ? [certificate.read] : certificate.axiom === 'NOCONFLICT' ? certificate.writes : [];
  const text = `${capitalised(timestampsSentence(names, certificate))}.`;
  return [{ text, edges: [], operations: operations.map((op) => names.opId(op)) }];
}

export function timestampsSentence(names: Names, certificate: TimestampsCertificate): string {
  const { history } = names;
  const stated = (column: BigInt64Array | null, t: number): string => String(column?.[t] ?? 'an unknown time');
  const started = (t: number): string => `started at ${stated(history.txnStartTs, t)}`;
  const committed = (t: number): string => `committed at ${stated(history.txnCommitTs, t)}`;
  const looked = (t: number, when: SnapshotTime): string => (when === 'start' ? started(t) : committed(t));
  switch (certificate.axiom) {
    case 'EXT': {
      const { read } = certificate;
      const reader = transactionOf(history, read);
      const [writer] = expectedOf(history, certificate);
      const should =
        writer === undefined ? 'the initial state' : `the write of ${names.txn(writer)}, which ${committed(writer)}`;
      return `by the database’s own timestamps, ${names.txn(reader)}, which ${looked(reader, certificate.at)}, should have seen ${should}; it ${names.reads(read)}`;
    }
    case 'NOCONFLICT': {
      const [a, b] = certificate.writes.map((op) => transactionOf(history, op));
      return `by the database’s own timestamps, ${names.txn(a!)} (${started(a!)}, ${committed(a!)}) and ${names.txn(b!)} (${started(b!)}, ${committed(b!)}) overlap, and both write the same key`;
    }
    case 'SESSION':
      return `by the database’s own timestamps, ${names.txn(certificate.second)} ${looked(certificate.second, certificate.at)}, before ${names.txn(certificate.first)}, which comes earlier in its session, ${committed(certificate.first)}`;
    case 'ORDER':
      return `by the database’s own timestamps, ${names.txn(certificate.transaction)} ${committed(certificate.transaction)}, before it ${started(certificate.transaction)}`;
  }
}
