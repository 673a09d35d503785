import { type CheckerVerdict, type FoundAnomaly, INITIAL_TXN } from '@isolab/contract';
import {
  type History,
  type RegisterHistory,
  type TransactionId,
  TxnStatus,
  buildReadFrom,
  countKeys,
  namedRows,
  passesOverMore,
  registersOf,
  transactionOf,
} from '@isolab/history';
import { transactionsIn } from '../proof/transactions-in.ts';
import { renumber } from '../proof/renumber.ts';
import type { Decided } from './search-with-scans.ts';

export type Violated = Extract<CheckerVerdict, { status: 'violated' }>;

/** Renumbers a violation for the history in which scans read all rows, or all relevant rows if that is too large. */
export function renumbered(
  verdict: Violated,
  withScans: History,
  { passedOver, numbered, txnOf }: Omit<Decided, 'verdict'>,
  most: number,
): Violated {
  const named =
    passedOver !== null && passesOverMore(withScans, most)
      ? namedRows(
          withScans,
          passedOver,
          new Set(inWhole(readersIn(verdict, numbered.history), txnOf) as TransactionId[]),
        )
      : undefined;
  const anomalies = inNumbersOf(registersOf(withScans, { passedOver: named }), numbered, verdict.anomalies, txnOf);
  return {
    status: 'violated',
    anomalies:
      named === undefined
        ? anomalies
        : anomalies.map((each) => (each.certificate === undefined ? each : { ...each, passedOver: named })),
  };
}

/** Returns the transactions that a violation names, and readers that show that these happened. */
function readersIn(verdict: Violated, history: History): Set<number> {
  const all = transactionsIn(verdict, history);
  const isUnknown = (t: number): boolean => history.txnStatus[t] === TxnStatus.Unknown;
  if (!Array.from(all).some(isUnknown)) return all;
  const readersOf = readersOfUnknown(history);
  // The set grows during the loop, because the outcome of a reader may be unknown, too.
  for (const t of all) {
    const readers = isUnknown(t) ? (readersOf.get(t) ?? []) : [];
    const sure = readers.find((reader) => !isUnknown(reader));
    for (const reader of sure === undefined ? readers : [sure]) all.add(reader);
  }
  return all;
}

function readersOfUnknown(history: History): Map<number, number[]> {
  const { readFrom } = buildReadFrom(history);
  const { txnStart, txnStatus } = history;
  const readersOf = new Map<number, number[]>();
  for (let t = 0; t < txnStatus.length; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const writer = readFrom[op] < 0 ? t : transactionOf(history, readFrom[op]);
      if (writer === t || txnStatus[writer] !== TxnStatus.Unknown) continue;
      const readers = readersOf.get(writer);
      if (readers === undefined) readersOf.set(writer, [t]);
      else readers.push(t);
    }
  }
  return readersOf;
}

/** Translates anomalies from one lowering of a history to another, in which scans read more rows. */
export function inNumbersOf(
  other: RegisterHistory,
  part: RegisterHistory,
  anomalies: readonly FoundAnomaly[],
  txnOf: Int32Array = Int32Array.from(part.history.txnStatus.keys()),
): FoundAnomaly[] {
  const numbers = { txnOf, opOf: placesIn(other, part) };
  return anomalies.map((anomaly) => ({
    ...anomaly,
    transactions: inWhole(anomaly.transactions, txnOf),
    ...(anomaly.certificate && { certificate: renumber(anomaly.certificate, numbers) }),
  }));
}

export const inWhole = (txns: Iterable<number>, txnOf?: Int32Array): number[] =>
  Array.from(txns, (t) => (txnOf === undefined || t === INITIAL_TXN ? t : txnOf[t]));

/**
 * Returns the place of each operation in another lowering, or −1. In both lowerings, the operations that replace one
 * original operation are adjacent.
 */
export function placesIn(other: RegisterHistory, part: RegisterHistory): Int32Array {
  const keyOf = keysIn(other, part);
  const places = new Int32Array(part.opOf.length).fill(-1);
  let start = 0;
  for (let op = 0; op < places.length;) {
    const from = part.opOf[op];
    while (other.opOf[start] < from) start++;
    let end = start;
    while (end < other.opOf.length && other.opOf[end] === from) end++;
    // Operations mostly have equal order in both lowerings, so the next match is usually right after the last.
    let there = start;
    for (; part.opOf[op] === from; op++) {
      const key = keyOf[part.history.opKey[op]];
      const isSame = (place: number): boolean =>
        other.history.opKey[place] === key &&
        other.history.opKind[place] === part.history.opKind[op] &&
        other.history.opValue[place] === part.history.opValue[op];
      let left = key < 0 ? 0 : end - start;
      for (; left > 0 && !isSame(there); left--) there = there + 1 === end ? start : there + 1;
      if (left > 0) places[op] = there;
    }
  }
  return places;
}

/** Returns the number of each key of the part in the other lowering, or −1. Items are equal if they match equally. */
function keysIn(other: RegisterHistory, part: RegisterHistory): Int32Array {
  const nameOf = ({ row, some }: RegisterHistory['items'][number]): string =>
    `${row} ${some === null ? 'all' : [...some].join()}`;
  const known = new Map(other.items.map((item) => [nameOf(item), item.key]));
  const keyOf = new Int32Array(countKeys(part.history)).map((_, key) => key);
  for (const item of part.items) keyOf[item.key] = known.get(nameOf(item)) ?? -1;
  return keyOf;
}
