import type { LevelName } from '@isolab/contract';
import { INITIAL_TXN, levelsForbidding } from '@isolab/contract';
import {
  type History,
  type InternalAnomaly,
  OpKind,
  Outcome,
  type ReadFromIndex,
  TxnStatus,
  countKeys,
  countValues,
  findInternalAnomalies,
  transactionOf,
} from '@isolab/history';

/** Who may have left a value in a key. */
export interface Version {
  /** Transactions, those that come earlier in the guessed order first; INITIAL_TXN is the very first. */
  readonly writers: number[];
  /** Transactions that wrote it last, but cannot have happened. */
  readonly impossible: number[];
}

/** The name of what an operation reads or writes: its key and value. */
export const versionName = (history: History, op: number): number =>
  history.opKey[op] * countValues(history) + history.opValue[op];

/** 1 for each transaction of unknown outcome that nothing shows to have happened. */
export const optionalTransactions = ({ txnStatus }: History, { outcome }: ReadFromIndex): Uint8Array =>
  Uint8Array.from(txnStatus, (status, t) => (status === TxnStatus.Unknown && outcome[t] !== Outcome.Happened ? 1 : 0));

/** The optional transactions that show an anomaly by themselves, each with the first that the level forbids. */
export function impossibleTransactions(
  history: History,
  index: ReadFromIndex,
  optional: Uint8Array,
  level: LevelName,
): ReadonlyMap<number, InternalAnomaly> {
  const impossible = new Map<number, InternalAnomaly>();
  if (!optional.includes(1)) return impossible;
  const outcome = optional.map((isOptional) => (isOptional === 1 ? Outcome.Happened : Outcome.Left));
  const anomalies = findInternalAnomalies(history, { ...index, outcome });
  for (let i = 0; i < anomalies.count; i++) {
    const anomaly = anomalies.at(i);
    const t = transactionOf(history, anomaly.read);
    if (!impossible.has(t) && levelsForbidding(anomaly.name).includes(level)) impossible.set(t, anomaly);
  }
  return impossible;
}

/** The writers of the versions that are asked for; `order` has all transactions in the guessed order. */
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
  const writer = new Int32Array(countKeys(history)).fill(-1); // by key: the last transaction that was seen writing it
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

/** The last write of a key by a transaction. */
export function lastWriteOf({ txnStart, opKind, opKey }: History, t: number, key: number): number {
  let op = txnStart[t + 1] - 1;
  while (opKind[op] !== OpKind.Write || opKey[op] !== key) op--;
  return op;
}
