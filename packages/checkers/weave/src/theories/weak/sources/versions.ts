/** The transactions that may have written a value to a key. */
import { INITIAL_TXN } from '@isolab/contract';
import { type History, Outcome, type ReadFromIndex, TxnStatus, countValues } from '@isolab/history';
import { lastWriters } from '../../../problem/optional.ts';

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
  const { txnStatus, keyInitial } = history;
  const versions = new Map<number, Version>();
  for (const name of names) versions.set(name, { writers: [], impossible: [] });
  const numValues = countValues(history);
  for (let key = 0; key < keyInitial.length; key++)
    versions.get(key * numValues + keyInitial[key])?.writers.push(INITIAL_TXN);
  const possible = order.filter((t) => txnStatus[t] !== TxnStatus.Aborted);
  for (const [name, all] of lastWriters(history, possible, names)) {
    const { writers, impossible: others } = versions.get(name)!;
    for (const t of all) (impossible.has(t) ? others : writers).push(t);
  }
  return versions;
}
