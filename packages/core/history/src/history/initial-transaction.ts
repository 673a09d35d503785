import { type History, countKeys, countSessions, countTransactions } from './history.ts';
import { NO_TIME, OpKind, TxnStatus } from '../columns/operation.ts';
import { type Slice, slice } from './slice.ts';
import type { TransactionId } from '../columns/ids.ts';

// Handles explicit initial transactions, which a file contains as if a client had executed them. Only the file or the
// user can identify them: a transaction that writes the initial values again looks no different and may occur at any
// time.

/** Returns the reason why a transaction cannot be the initial transaction; null if it can. */
export function whyNotInitial({ txnStart, txnStatus, opKind }: History, t: TransactionId): string | null {
  if (txnStatus[t] !== TxnStatus.Committed) return 'a transaction that is not committed';
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
    if (opKind[op] !== OpKind.Write) return 'a transaction that does more than write';
  return null;
}

/** Makes the writes of a transaction the initial state, and removes the transaction. */
export function foldInitialTransaction(history: History, t: TransactionId): Slice {
  const found = whyNotInitial(history, t);
  if (found !== null) throw new RangeError(`Transaction ${t} is ${found}, so it cannot be the initial transaction.`);
  const { txnStart, opKey, opValue } = history;
  const keyInitial = history.keyInitial.slice();
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) keyInitial[opKey[op]] = opValue[op];
  const txns = new Uint8Array(countTransactions(history)).fill(1);
  txns[t] = 0;
  const sliced = slice(history, { txns });
  return { ...sliced, history: { ...sliced.history, keyInitial } };
}

/**
 * Returns the transaction that most resembles an initial transaction (alone in its session, writes half of the keys),
 * or null.
 */
export function findInitialTransaction(history: History): TransactionId | null {
  const { sessionStart, txnStart, txnEnd, txnBegin } = history;
  if (countTransactions(history) < 2) return null;
  const [first, second] = twoEarliest(txnEnd);
  let best: TransactionId | null = null;
  let mostWrites = Math.max(1, countKeys(history) / 2);
  for (let s = 0; s < countSessions(history); s++) {
    const t = sessionStart[s];
    const writes = sessionStart[s + 1] - t === 1 ? txnStart[t + 1] - txnStart[t] : 0;
    if (writes < mostWrites || (best !== null && writes === mostWrites) || whyNotInitial(history, t) !== null) continue;
    const returned = first === t ? second : first;
    const isFirst = txnBegin === null || returned < 0 || txnBegin[t] === NO_TIME || txnEnd![returned] >= txnBegin[t];
    if (!isFirst) continue;
    best = t;
    mostWrites = writes;
  }
  return best;
}

/** Returns the two transactions that returned first; −1 for a missing transaction. */
function twoEarliest(end: BigInt64Array | null): readonly [number, number] {
  let [first, second] = [-1, -1];
  if (end === null) return [first, second];
  for (let t = 0; t < end.length; t++) {
    if (end[t] === NO_TIME) continue;
    if (first < 0 || end[t] < end[first]) [first, second] = [t, first];
    else if (second < 0 || end[t] < end[second]) second = t;
  }
  return [first, second];
}
