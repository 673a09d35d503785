import { NO_TIME, OpKind, TxnStatus, countKeys, countSessions } from '@isolab/history';
import { verifyCausal } from './causal.ts';
import { integerOf, listOf, nameTxn, refuse } from './flaw.ts';
import { type RawFacts, readsFrom } from './raw-facts.ts';
import type { Rules } from './rules.ts';
import { verifyReadAtomic, verifyReadCommitted } from './weak-axioms.ts';

/** A commit order, and where each transaction stands in it: −1 for those that did not happen. */
export interface CommitOrder {
  readonly order: Int32Array;
  readonly position: Int32Array;
}

/** Refuses unless the transactions that happened, in this order, satisfy the level. */
export function verifyCommitOrder(facts: RawFacts, rules: Rules, data: unknown): void {
  const co = readOrder(facts, data);
  if (rules.axiom === 'serial-by-key') {
    verifyKeyByKey(facts, co);
    return;
  }
  if (rules.sessions) verifySessions(facts, co);
  verifyReads(facts, co);
  if (rules.realTime !== 'none') verifyRealTime(facts, co);
  switch (rules.axiom) {
    case 'read-committed':
    case 'read-committed-dbcop':
      return verifyReadCommitted(facts, rules, co);
    case 'read-atomic':
      return verifyReadAtomic(facts, co);
    case 'causal':
      return verifyCausal(facts, co);
    case 'serial':
      return replay(facts, co);
    default: // PL-2 asks for nothing more: each key's versions follow the order.
  }
}

function readOrder({ happened, numHappened }: RawFacts, data: unknown): CommitOrder {
  const list = listOf(data, 'the order');
  const position = new Int32Array(happened.length).fill(-1);
  // A longer list repeats a transaction, which is found before its end.
  const order = new Int32Array(Math.min(list.length, numHappened));
  for (let i = 0; i < list.length; i++) {
    const t = integerOf(list[i], 0, happened.length, `entry ${i + 1} of the order`);
    if (!happened[t]) refuse(`entry ${i + 1} of the order is transaction ${t}, which did not happen`);
    if (position[t] >= 0) refuse(`the order lists transaction ${t} twice, as entries ${position[t] + 1} and ${i + 1}`);
    position[t] = i;
    order[i] = t;
  }
  const missing = happened.findIndex((one, t) => one === 1 && position[t] < 0);
  if (missing >= 0) refuse(`the order misses transaction ${missing}`);
  return { order, position };
}

function verifySessions({ history }: RawFacts, { position }: CommitOrder): void {
  const { sessionStart } = history;
  for (let s = 0; s < countSessions(history); s++) {
    let previous = -1;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (position[t] < 0) continue;
      if (previous >= 0 && position[t] < position[previous])
        refuse(`the order puts transaction ${t} before transaction ${previous}, which is earlier in its session`);
      previous = t;
    }
  }
}

function verifyReads(facts: RawFacts, { order, position }: CommitOrder): void {
  const { txnStart } = facts.history;
  for (let i = 0; i < order.length; i++) {
    const t = order[i];
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const from = readsFrom(facts, op);
      if (from >= 0 && position[from] > i)
        refuse(`the order puts transaction ${t} before transaction ${from}, from which its operation ${op} reads`);
    }
  }
}

/** Walks backwards with the first of the later transactions to return: it must not have done so before a call. */
function verifyRealTime({ history }: RawFacts, { order }: CommitOrder): void {
  const { txnBegin } = history;
  if (txnBegin === null) return;
  let first = -1;
  for (let i = order.length - 1; i >= 0; i--) {
    const t = order[i];
    if (first >= 0 && txnBegin[t] !== NO_TIME && history.txnEnd![first] < txnBegin[t]) refuseRealTime(t, first);
    if (returned(history, t) && (first < 0 || history.txnEnd![t] < history.txnEnd![first])) first = t;
  }
}

/** Whether it is known when a transaction returned. One of unknown outcome never did: it may take effect at any time. */
export const returned = (
  { txnStatus, txnEnd }: { readonly txnStatus: Uint8Array; readonly txnEnd: BigInt64Array | null },
  t: number,
): boolean => txnEnd !== null && txnStatus[t] === TxnStatus.Committed && txnEnd[t] !== NO_TIME;

const refuseRealTime = (before: number, after: number): never =>
  refuse(`the order puts transaction ${before} before transaction ${after}, which had returned before it was called`);

/** Every read sees the latest write before it in the order. */
function replay(facts: RawFacts, { order }: CommitOrder): void {
  const writer = new Int32Array(countKeys(facts.history)).fill(-1);
  for (let i = 0; i < order.length; i++) replayTransaction(facts, order[i], writer);
}

/** `writer` holds the latest transaction to write each key. */
function replayTransaction(facts: RawFacts, t: number, writer: Int32Array): void {
  const { txnStart, opKind, opKey } = facts.history;
  for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
    const from = readsFrom(facts, op);
    if (from >= -1 && from !== writer[opKey[op]]) refuseReplay(t, op, from, writer[opKey[op]]);
  }
  for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++)
    if (opKind[op] === OpKind.Write) writer[opKey[op]] = t;
}

const refuseReplay = (t: number, op: number, from: number, writer: number): never =>
  refuse(
    `operation ${op} of transaction ${t} reads from ${nameTxn(from)}, but the latest in the order to write its key is ${nameTxn(writer)}`,
  );

/** As for strict serializability, but sessions and real time order only transactions of the same key. */
function verifyKeyByKey(facts: RawFacts, { order, position }: CommitOrder): void {
  const { history, happened } = facts;
  const { txnSession, txnBegin, txnEnd } = history;
  const numKeys = countKeys(history);
  const keyOf = Int32Array.from(happened, (one, t) => (one ? onlyKey(facts, t) : -1));
  replay(facts, { order, position });

  // By key, walking backwards: the first of the later transactions to return; by session and key: the latest earlier one.
  const first = new Int32Array(numKeys).fill(-1);
  for (let i = order.length - 1; i >= 0; i--) {
    const t = order[i];
    const key = keyOf[t];
    if (key < 0) continue;
    const other = first[key];
    if (other >= 0 && txnBegin && txnBegin[t] !== NO_TIME && txnEnd![other] < txnBegin[t]) refuseRealTime(t, other);
    if (returned(history, t) && (other < 0 || txnEnd![t] < txnEnd![other])) first[key] = t;
  }
  const previous = new Int32Array(numKeys).fill(-1);
  for (let t = 0; t < happened.length; t++) {
    const key = keyOf[t];
    if (key < 0) continue;
    const other = previous[key];
    if (other >= 0 && txnSession[other] === txnSession[t] && position[t] < position[other])
      refuse(`the order puts transaction ${t} before transaction ${other}, which is earlier in its session`);
    previous[key] = t;
  }
}

/** The key of a transaction of one operation (or what one is lowered to); −1 for an empty one. */
export function onlyKey({ history }: RawFacts, t: number): number {
  const { txnStart, opKey } = history;
  const key = txnStart[t] < txnStart[t + 1] ? opKey[txnStart[t]] : -1;
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    if (opKey[op] !== key) refuse(`transaction ${t} is of several keys, and linearizability is of single operations`);
  }
  return key;
}
