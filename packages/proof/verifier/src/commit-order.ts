import { type History, countKeys } from '@isolab/history';
import { verifyCausal } from './causal.ts';
import { refuse } from './verdict/flaw.ts';
import { type CommitOrder, readCommitOrder, verifySessions } from './facts/orders.ts';
import { type Reads, readsAlong } from './reads-along.ts';
import { verifyRealTimeByKey, verifyRealTimeOfCommits } from './facts/real-time.ts';
import { replaySerially } from './replay.ts';
import type { Rules } from './facts/rules.ts';
import { verifyReadAtomic, verifyReadCommitted } from './weak-axioms.ts';

/** Refuses unless the listed transactions happened and satisfy the level in this order. */
export function verifyCommitOrder(history: History, rules: Rules, data: unknown, sources: unknown): void {
  const co = readCommitOrder(history, data);
  switch (rules.axiom) {
    case 'serial':
      if (rules.sessions) verifySessions(history, co.position, false);
      replaySerially(history, co.order);
      if (rules.realTime !== 'none') verifyRealTimeOfCommits(history, co.order);
      return;
    case 'serial-by-key':
      return verifyKeyByKey(history, co);
    default:
      if (rules.sessions) verifySessions(history, co.position, false);
      verifyWeakly(readsAlong(history, rules, co, sources), rules, co);
  }
}

/**
 * Verifies the order by the writers that reads saw. A reader may miss an earlier transaction unless the axiom forbids
 * it.
 */
function verifyWeakly(reads: Reads, rules: Rules, co: CommitOrder): void {
  verifyReads(reads, co);
  switch (rules.axiom) {
    case 'read-committed':
    case 'read-committed-dbcop':
      return verifyReadCommitted(reads, rules, co);
    case 'read-atomic':
      return verifyReadAtomic(reads, co);
    case 'causal':
      return verifyCausal(reads, co);
    default: // PL-2 has no further requirement: each key's versions follow the order.
  }
}

function verifyReads({ history, from }: Reads, { order, position }: CommitOrder): void {
  const { txnStart } = history;
  for (let i = 0; i < order.length; i++) {
    const t = order[i];
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (from[op] >= 0 && position[from[op]] > i)
        refuse(`the order puts transaction ${t} before transaction ${from[op]}, from which its operation ${op} reads`);
    }
  }
}

/** Checks as for strict serializability, but sessions and real time order only transactions on the same key. */
function verifyKeyByKey(history: History, { order, position }: CommitOrder): void {
  const { txnSession } = history;
  const keyOf = Int32Array.from(position, (at, t) => (at >= 0 ? onlyKey(history, t) : -1));
  replaySerially(history, order);
  verifyRealTimeByKey(history, order, keyOf);
  const previous = new Int32Array(countKeys(history)).fill(-1); // by key: the latest earlier transaction of any session
  for (let t = 0; t < keyOf.length; t++) {
    const key = keyOf[t];
    if (key < 0) continue;
    const other = previous[key];
    if (other >= 0 && txnSession[other] === txnSession[t] && position[t] < position[other])
      refuse(`the order puts transaction ${t} before transaction ${other}, which is earlier in its session`);
    previous[key] = t;
  }
}

/** The key of a transaction with a single operation (or its lowered form); −1 for an empty transaction. */
export function onlyKey({ txnStart, opKey }: History, t: number): number {
  const key = txnStart[t] < txnStart[t + 1] ? opKey[txnStart[t]] : -1;
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    if (opKey[op] !== key) refuse(`transaction ${t} uses several keys, but linearizability is about single operations`);
  }
  return key;
}
