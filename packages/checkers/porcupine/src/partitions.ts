import { rowsBy } from '@isolab/graph';
import { type History, TxnStatus, Times, sortByTime } from '@isolab/history';
import type { Operations } from './operations.ts';

/** Operations on one key as entries, in the order of their calls. */
export interface Partition {
  readonly key: number;
  readonly operation: Int32Array;
  /** Calls (2i for entry i) and returns (2i + 1) in order of time, calls first where times are equal. */
  readonly events: Int32Array;
  /** Entries session by session, in the order of the history. */
  readonly inOrder: Int32Array;
  /** Number of sessions; session of each entry, from 0; and its place in the session, from 1. */
  readonly numSessions: number;
  readonly session: Int32Array;
  readonly place: Int32Array;
}

/** Returns whether the return time of a transaction is known. */
export const hasReturned = ({ txnStatus }: History, ends: Times, t: number): boolean =>
  txnStatus[t] === TxnStatus.Committed && ends.isKnown(t);

/** Divides operations by key, small keys first, because linearizability is decided key by key (Herlihy and Wing). */
export function partitionsOf(history: History, operations: Operations, numKeys: number): Partition[] {
  const { txnBegin, txnEnd } = history;
  const { txn, key, count } = operations;
  const begins = txnBegin && new Times(txnBegin);
  const ends = txnEnd && new Times(txnEnd);
  const ofTxn = new Int32Array(history.txnStatus.length);
  for (let i = 0; i < count; i++) ofTxn[txn[i]] = i;
  const all = txn.slice(0, count);
  const sorted = (txns: Int32Array, times: Times | null): Int32Array =>
    (times === null ? txns : sortByTime(txns, times)).map((t) => ofTxn[t]);

  const natural = rowsByKey(sorted(all, null), key, numKeys);
  const calls = rowsByKey(sorted(all.slice(), begins), key, numKeys);
  const returned = all.filter((t) => ends !== null && hasReturned(history, ends, t));
  const returns = rowsByKey(sorted(returned, ends), key, numKeys);
  const isBefore = begins && ends && ((i: number, j: number): boolean => ends.isBefore(txn[i], begins, txn[j]));
  const entryOf = new Int32Array(count);
  const partitions: Partition[] = [];
  for (let k = 0; k < numKeys; k++) {
    const operation = calls.row(k);
    if (operation.length === 0) continue;
    for (let entry = 0; entry < operation.length; entry++) entryOf[operation[entry]] = entry;
    const events = merge(operation, returns.row(k), isBefore, operations, entryOf);
    const inOrder = natural.row(k).map((i) => entryOf[i]);
    partitions.push({ key: k, operation, events, inOrder, ...sessionsOf(history, operations, operation, inOrder) });
  }
  return partitions.toSorted((p, q) => p.operation.length - q.operation.length);
}

/** Groups operations by key. Each row keeps the given order. */
function rowsByKey(order: Int32Array, key: Int32Array, numKeys: number) {
  const { start, item } = rowsBy(
    order.map((i) => key[i]),
    numKeys,
  );
  return { row: (k: number): Int32Array => item.subarray(start[k], start[k + 1]).map((at) => order[at]) };
}

/** Merges calls and returns. Operations that never returned return at the end if they are certain, otherwise never. */
function merge(
  byCall: Int32Array,
  byReturn: Int32Array,
  isBefore: ((returned: number, called: number) => boolean) | null,
  { isOptional }: Operations,
  entryOf: Int32Array,
): Int32Array {
  const events = new Int32Array(2 * byCall.length);
  const returned = new Uint8Array(byCall.length);
  let count = 0;
  let r = 0;
  for (let i = 0; i < byCall.length; i++) {
    if (isBefore !== null)
      for (; r < byReturn.length && isBefore(byReturn[r], byCall[i]); r++)
        events[count++] = 2 * entryOf[byReturn[r]] + 1;
    events[count++] = 2 * i;
  }
  for (let i = 0; i < byReturn.length; i++) {
    const entry = entryOf[byReturn[i]];
    returned[entry] = 1;
    if (i >= r) events[count++] = 2 * entry + 1;
  }
  for (let i = 0; i < byCall.length; i++)
    if (returned[i] === 0 && isOptional[byCall[i]] === 0) events[count++] = 2 * i + 1;
  return events.subarray(0, count);
}

function sessionsOf({ txnSession }: History, { txn }: Operations, operation: Int32Array, inOrder: Int32Array) {
  const session = new Int32Array(operation.length);
  const place = new Int32Array(operation.length);
  let numSessions = 0;
  let before = -1; // previous entry, and the name of its session
  let name = -1;
  for (const entry of inOrder) {
    const own = txnSession[txn[operation[entry]]];
    if (own !== name) numSessions++;
    session[entry] = numSessions - 1;
    place[entry] = own === name ? place[before] + 1 : 1;
    before = entry;
    name = own;
  }
  return { numSessions, session, place };
}
