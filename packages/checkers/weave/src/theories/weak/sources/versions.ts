/** The transactions that may have written a value to a key. */
import { INITIAL_TXN } from '@isolab/contract';
import { type History, OpKind, Outcome, type ReadFromIndex, TxnStatus, countKeys, countValues } from '@isolab/history';

/** Transactions that may have written a value to a key. */
export interface Version {
  /** Transactions in the guessed order; INITIAL_TXN comes first. */
  readonly writers: number[];
  /** Transactions that wrote it last, but cannot have happened. */
  readonly impossible: number[];
}

/** Returns 1 for each transaction of unknown outcome that no read shows to have happened. */
export const mayHaveHappened = ({ txnStatus }: History, { outcome }: ReadFromIndex): Uint8Array =>
  Uint8Array.from(txnStatus, (status, t) => (status === TxnStatus.Unknown && outcome[t] !== Outcome.Happened ? 1 : 0));

/** Returns the writers of the requested versions. `order` has all transactions in the guessed order. */
export function versionsNamed(
  history: History,
  order: Int32Array,
  impossible: ReadonlyMap<number, unknown>,
  names: ReadonlySet<number>,
): ReadonlyMap<number, Version> {
  const { txnStart, txnStatus, opKind, opKey, opValue, keyInitial } = history;
  const versions = new Map<number, Version>();
  for (const name of names) versions.set(name, { writers: [], impossible: [] });
  const numValues = countValues(history);
  for (let key = 0; key < keyInitial.length; key++)
    versions.get(key * numValues + keyInitial[key])?.writers.push(INITIAL_TXN);
  const writer = new Int32Array(countKeys(history)).fill(-1); // by key: the last transaction found to write it
  for (const t of order) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
      const key = opKey[op];
      if (opKind[op] !== OpKind.Write || writer[key] === t) continue;
      writer[key] = t;
      const version = versions.get(key * numValues + opValue[op]);
      if (impossible.has(t)) version?.impossible.push(t);
      else version?.writers.push(t);
    }
  }
  return versions;
}

/** Returns the last write of a key by a transaction. */
export function lastWriteOf({ txnStart, opKind, opKey }: History, t: number, key: number): number {
  let op = txnStart[t + 1] - 1;
  while (opKind[op] !== OpKind.Write || opKey[op] !== key) op--;
  return op;
}
