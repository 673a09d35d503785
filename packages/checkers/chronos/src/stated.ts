import type { IndexedHistory, SatisfiedCertificate } from '@isolab/contract';
import {
  type History,
  type IdColumn,
  NO_TIME,
  OpKind,
  Outcome,
  Times,
  type TransactionId,
  TxnStatus,
  nameTransaction,
  sortByTime,
} from '@isolab/history';

/** The committed transactions, with the timestamps that the database reports. */
export interface Stated {
  readonly history: History;
  readonly committed: Int32Array;
  readonly startTs: BigInt64Array;
  readonly commitTs: BigInt64Array;
}

/** Reads the timestamps of a history, or returns the reason why they decide nothing. */
export function statedBy({ history, index }: IndexedHistory): Stated | string {
  const { txnStatus, txnStartTs, txnCommitTs } = history;
  const committed: TransactionId[] = [];
  for (let t = 0 as TransactionId; t < txnStatus.length; t++) {
    if (txnStatus[t] === TxnStatus.Committed) committed.push(t);
    else if (txnStatus[t] === TxnStatus.Unknown && index.outcome[t] === Outcome.Happened)
      return `${nameTransaction(history, t)} was read from, but has no commit timestamp, because its outcome is unknown.`;
    else if (txnStatus[t] === TxnStatus.Unknown && (index.outcome[t] === Outcome.Open || writesInitial(history, t)))
      return `${nameTransaction(history, t)} may have been read from, because its values are repeated, but its outcome is unknown.`;
  }
  const none = new BigInt64Array(txnStatus.length).fill(NO_TIME);
  return {
    history,
    committed: Int32Array.from(committed),
    startTs: txnStartTs ?? none,
    commitTs: txnCommitTs ?? none,
  };
}

/**
 * Starts (2t) and commits (2t + 1) in the order of their timestamps. Commits precede starts of equal time, which see
 * them; a transaction that starts and commits at that time does so in between.
 */
export function eventsInOrder({ committed, startTs, commitTs }: Stated): Int32Array {
  const times = new BigInt64Array(2 * startTs.length);
  const events = new Int32Array(2 * committed.length);
  let next = 0;
  for (const t of committed) {
    times[2 * t] = startTs[t];
    times[2 * t + 1] = commitTs[t];
    if (commitTs[t] !== startTs[t]) events[next++] = 2 * t + 1;
  }
  for (const t of committed) {
    if (commitTs[t] !== startTs[t]) continue;
    events[next++] = 2 * t;
    events[next++] = 2 * t + 1;
  }
  for (const t of committed) if (commitTs[t] !== startTs[t]) events[next++] = 2 * t;
  return sortByTime(events, new Times(times)); // and leaves the order of equal elements as it is
}

export const commitsInOrder = ({ committed, commitTs }: Stated): IdColumn<TransactionId> =>
  sortByTime(committed, new Times(commitTs)) as IdColumn<TransactionId>;

/** Returns the reason why the timestamps do not order all required pairs, or null if they do. */
export function whyNoOrder(stated: Stated, commits: IdColumn<TransactionId>, isSnapshot: boolean): string | null {
  const { history, startTs, commitTs } = stated;
  // If a transaction writes and starts at the same time, it is unknown whether others at that time see it.
  const matters = (t: number): boolean => writes(history, t) && (!isSnapshot || startTs[t] === commitTs[t]);
  for (let i = 1; i < commits.length; i++) {
    const [a, b] = [commits[i - 1], commits[i]];
    if (commitTs[a] !== commitTs[b] || !(matters(a) || matters(b))) continue;
    return `${nameTransaction(history, a)} and ${nameTransaction(history, b)} have the same commit timestamp, ${commitTs[a]}, so their order is unknown.`;
  }
  return null;
}

/**
 * Returns whether a transaction writes the initial value of a key. Then a read of that value may be from this write.
 */
function writesInitial({ txnStart, opKind, opKey, opValue, keyInitial }: History, t: number): boolean {
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
    if (opKind[op] === OpKind.Write && opValue[op] === keyInitial[opKey[op]]) return true;
  return false;
}

export function writes({ txnStart, opKind }: History, t: number): boolean {
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
    if (opKind[op] === OpKind.Write || opKind[op] === OpKind.Append) return true;
  return false;
}

export const certificateOfEvents = (events: Int32Array): SatisfiedCertificate => ({
  kind: 'event-order',
  events: Array.from(events),
});

export const certificateOfCommits = (order: Int32Array): SatisfiedCertificate => ({
  kind: 'commit-order',
  order: Array.from(order),
});
