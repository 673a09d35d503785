import {
  EMPTY_LIST,
  type History,
  OpKind,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  countKeys,
  transactionOfOperations,
} from '@isolab/history';
import { refuse } from './verdict/flaw.ts';
import { BLIND, listOfOthers, ownWrites } from './facts/list-tree.ts';
import { refuseUnlessTheyHappened } from './definition/needed.ts';
import { readCommitOrder } from './facts/orders.ts';
import { factsGiven, isInitial } from './facts/raw-facts.ts';
import { StatedVersions, isWrite } from './facts/versions.ts';

/** Cut isolation: repeated reads of a key see the same, in the transactions that happened. */
export function inspect(history: History, data: unknown): void {
  const { txnStart, opKind, opKey, opValue } = history;
  const happened = happenedBy(history, data);
  const ownWrite = ownWrites(history);
  const reader = new Int32Array(countKeys(history)).fill(-1); // by key: the last transaction to read it from others,
  const latest = new Int32Array(reader.length); // and what it saw
  for (let t = 0; t < happened.length; t++) {
    if (!happened[t]) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      const kind = opKind[op];
      if (isWrite(kind) || (kind === OpKind.Read && ownWrite[op] >= 0)) continue;
      if (opValue[op] === (kind === OpKind.Read ? UNKNOWN_VALUE : UNKNOWN_LIST)) continue;
      const seen = kind === OpKind.Read ? opValue[op] : listOfOthers(history, ownWrite, op);
      if (seen === BLIND) continue; // an anomaly, but not one of this level
      if (reader[key] === t && latest[key] !== seen)
        refuse(`transaction ${t} reads key ${key} twice, and operation ${op} does not see what it saw before`);
      reader[key] = t;
      latest[key] = seen;
    }
  }
}

/** 1 for the transactions that a certificate says happened, or, if it does not say it, for those that may have. */
function happenedBy(history: History, data: unknown): Uint8Array {
  if (data === undefined) return happenedAtMost(history);
  const happened = readCommitOrder(history, data).position.map((place) => (place < 0 ? 0 : 1));
  refuseUnlessTheyHappened(factsGiven(history, Uint8Array.from(happened)));
  return Uint8Array.from(happened);
}

/** 1 for transactions that committed, and for those of unknown outcome from which one of these may have read. */
export function happenedAtMost(history: History): Uint8Array {
  const { txnStart, txnStatus, opKind, opKey, opValue, lists } = history;
  const happened = Uint8Array.from(txnStatus, (status) => (status === TxnStatus.Committed ? 1 : 0));
  if (!txnStatus.includes(TxnStatus.Unknown)) return happened;
  const txnOf = transactionOfOperations(history);
  const versions = new StatedVersions(history, txnOf, new Uint8Array(txnStatus.length).fill(1));
  const toVisit = Array.from(happened.keys()).filter((t) => happened[t] === 1);
  const saw = (key: number, value: number): void => {
    const writers = versions.writesOf(key, value).map((write) => txnOf[write]);
    if (writers.some((t) => txnStatus[t] === TxnStatus.Committed)) return;
    for (const t of writers) {
      if (happened[t] || txnStatus[t] !== TxnStatus.Unknown) continue;
      happened[t] = 1;
      toVisit.push(t);
    }
  };
  const seenNode = new Uint8Array(lists.parent.length);
  for (let t = toVisit.pop(); t !== undefined; t = toVisit.pop()) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] === OpKind.Read && !isInitial(history, opKey[op], opValue[op])) saw(opKey[op], opValue[op]);
      if (opKind[op] !== OpKind.ListRead) continue;
      for (let node = opValue[op]; node > EMPTY_LIST && seenNode[node] === 0; node = lists.parent[node]) {
        seenNode[node] = 1;
        saw(opKey[op], lists.element[node]);
      }
    }
  }
  return happened;
}
