import { addTo } from '@isolab/graph';
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

/** Transactions of unknown outcome that may have happened, and those that cannot have happened. */
export interface Optional {
  /** 1 for each transaction that an ambiguous read may have seen, or from which such a transaction reads. */
  readonly isOptional: Uint8Array;
  /** Transactions that contradict themselves, each with a read that shows it. */
  readonly impossible: ReadonlyMap<number, InternalAnomaly>;
}

/** Returns null if the outcome of every transaction that matters is certain. */
export function optionalTransactions(history: History, index: ReadFromIndex): Optional | null {
  const { outcome, readFrom } = index;
  const { txnStatus, txnStart } = history;
  if (!outcome.includes(Outcome.Open)) return null;
  const impossible = findImpossible(history, index);
  const isOptional = new Uint8Array(outcome.length);
  const reached = outcome.map((one) => (one === Outcome.Open ? 1 : 0));
  const found = Array.from(outcome.keys()).filter((t) => reached[t] === 1);
  for (let t = found.pop(); t !== undefined; t = found.pop()) {
    if (impossible.has(t)) continue;
    isOptional[t] = 1;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (readFrom[op] < 0) continue;
      const writer = transactionOf(history, readFrom[op]);
      if (reached[writer] === 1 || txnStatus[writer] !== TxnStatus.Unknown || outcome[writer] === Outcome.Happened)
        continue;
      reached[writer] = 1;
      found.push(writer);
    }
  }
  return { isOptional, impossible };
}

/** Returns the first forbidden internal anomaly of each transaction if all possible transactions happened. */
export function findImpossible(
  history: History,
  index: ReadFromIndex,
  isForbidden: (anomaly: InternalAnomaly) => boolean = () => true,
): Map<number, InternalAnomaly> {
  const outcome = index.outcome.map((one, t) =>
    one !== Outcome.Happened && history.txnStatus[t] === TxnStatus.Unknown ? Outcome.Happened : Outcome.Left,
  );
  const anomalies = findInternalAnomalies(history, { ...index, outcome });
  const impossible = new Map<number, InternalAnomaly>();
  for (let i = 0; i < anomalies.count; i++) {
    const anomaly = anomalies.at(i);
    const t = transactionOf(history, anomaly.read);
    if (!impossible.has(t) && isForbidden(anomaly)) impossible.set(t, anomaly);
  }
  return impossible;
}

/**
 * Returns, for each version of a register, the given transactions whose last write of the key wrote it, in their order;
 * optionally only for some versions.
 */
export function lastWriters(
  history: History,
  transactions: Iterable<number>,
  among: { has(name: number): boolean } | null = null,
): Map<number, number[]> {
  const { txnStart, opKind, opKey } = history;
  const writers = new Map<number, number[]>();
  const latest = new Int32Array(countKeys(history)).fill(-1); // by key: the transaction that writes it later
  for (const t of transactions)
    for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
      if (opKind[op] !== OpKind.Write || latest[opKey[op]] === t) continue;
      latest[opKey[op]] = t;
      const name = versionName(history, op);
      if (among === null || among.has(name)) addTo(writers, name, t);
    }
  return writers;
}

/** Identifies the version that a read saw or a write wrote by the key and the value. */
export const versionName = (history: History, op: number): number =>
  history.opKey[op] * countValues(history) + history.opValue[op];
