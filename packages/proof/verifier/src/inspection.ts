import {
  countKeys,
  type History,
  OpKind,
  transactionOfOperations,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
} from '@isolab/history';
import { refuse } from './verdict/flaw.ts';
import { BLIND, listOfOthers, ownWrites } from './facts/list-tree.ts';
import { refuseUnlessTheyHappened } from './definition/needed.ts';
import { readCommitOrder } from './facts/orders.ts';
import { factsGiven, happenedBySight, isInitial } from './facts/raw-facts.ts';
import { StatedVersions, isWrite } from './facts/versions.ts';

/** Verifies cut isolation: in the transactions that happened, repeated reads of a key see the same version. */
export function inspect(history: History, data: unknown): void {
  const { txnStart, opKind, opKey, opValue } = history;
  const happened = happenedBy(history, data);
  const ownWrite = ownWrites(history);
  const reader = new Int32Array(countKeys(history)).fill(-1); // by key: the last transaction to read it from others,
  const latest = new Int32Array(reader.length); // and the version that it saw
  for (let t = 0; t < happened.length; t++) {
    if (!happened[t]) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      const kind = opKind[op];
      if (isWrite(kind) || (kind === OpKind.Read && ownWrite[op] >= 0)) continue;
      if (opValue[op] === (kind === OpKind.Read ? UNKNOWN_VALUE : UNKNOWN_LIST)) continue;
      const seen = kind === OpKind.Read ? opValue[op] : listOfOthers(history, ownWrite, op);
      if (seen === BLIND) continue; // an anomaly, but not of this level
      if (reader[key] === t && latest[key] !== seen)
        refuse(`transaction ${t} reads key ${key} twice, but operation ${op} does not repeat the earlier result`);
      reader[key] = t;
      latest[key] = seen;
    }
  }
}

/** 1 for the transactions that happened according to a certificate or, if it does not list them, may have happened. */
function happenedBy(history: History, data: unknown): Uint8Array {
  if (data === undefined) return happenedAtMost(history);
  const happened = readCommitOrder(history, data).position.map((place) => (place < 0 ? 0 : 1));
  refuseUnlessTheyHappened(factsGiven(history, Uint8Array.from(happened)));
  return Uint8Array.from(happened);
}

/** 1 for committed transactions, and for transactions of unknown outcome from which one of these may have read. */
export function happenedAtMost(history: History): Uint8Array {
  const { txnStatus, opKind, opKey, opValue, lists } = history;
  const txnOf = transactionOfOperations(history);
  let versions: StatedVersions | null = null; // built where an outcome is unknown
  const writersOf = (key: number, value: number): readonly number[] => {
    versions ??= new StatedVersions(history, txnOf, new Uint8Array(txnStatus.length).fill(1));
    const writers = Array.from(versions.writesOf(key, value), (write) => txnOf[write]);
    return writers.some((t) => txnStatus[t] === TxnStatus.Committed) ? [] : writers;
  };
  return happenedBySight(
    history,
    (op) =>
      opKind[op] !== OpKind.Read || isInitial(history, opKey[op], opValue[op]) ? [] : writersOf(opKey[op], opValue[op]),
    (op, node) => writersOf(opKey[op], lists.element[node]),
  );
}
