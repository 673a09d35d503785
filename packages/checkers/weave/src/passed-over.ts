import type { Verdict } from '@isolab/contract';
import {
  type History,
  type PassedOver,
  type RegisterHistory,
  countKeys,
  namedRows,
  passesOverMore,
  registersOf,
  toRegisters,
} from '@isolab/history';
import { transactionsIn } from './certificate/transactions-in.ts';
import { renumber } from './linearizable/renumber.ts';

export type Violated = Extract<Verdict, { status: 'violated' }>;

/**
 * A violation of a history in which scans read some of the rows that they passed over, in the numbers of the one in which
 * they read all of those. Where that would be too large, in those of the one in which scans read the rows that matter.
 */
export function renumbered(
  verdict: Violated,
  withScans: History,
  passedOver: PassedOver | null,
  most: number,
): Violated {
  const part = toRegisters(withScans, passedOver);
  const named =
    passedOver !== null && passesOverMore(withScans, most)
      ? namedRows(withScans, passedOver, transactionsIn(verdict, part.history))
      : undefined;
  const numbers = {
    txnOf: Int32Array.from(withScans.txnStatus.keys()),
    opOf: placesIn(registersOf(withScans, { passedOver: named }), part),
  };
  const anomalies = verdict.anomalies.map((anomaly) =>
    anomaly.certificate === undefined
      ? anomaly
      : {
          ...anomaly,
          certificate: renumber(anomaly.certificate, numbers),
          ...(named && { passedOver: named }),
        },
  );
  return { status: 'violated', anomalies };
}

/**
 * Which operation of another lowering each operation is, −1 where it has none. Those of one given operation stand together
 * in both.
 */
function placesIn(other: RegisterHistory, part: RegisterHistory): Int32Array {
  const keyOf = keysIn(other, part);
  const places = new Int32Array(part.opOf.length).fill(-1);
  let start = 0;
  for (let op = 0; op < places.length;) {
    const from = part.opOf[op];
    while (other.opOf[start] < from) start++;
    let end = start;
    while (end < other.opOf.length && other.opOf[end] === from) end++;
    // Most stand in the same order, so that the next one is found right behind the last one.
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

/** By key of the part: its number in the other one, or −1. Items are the same if the same versions of a row match. */
function keysIn(other: RegisterHistory, part: RegisterHistory): Int32Array {
  const nameOf = ({ row, some }: RegisterHistory['items'][number]): string =>
    `${row} ${some === null ? 'all' : [...some].join()}`;
  const known = new Map(other.items.map((item) => [nameOf(item), item.key]));
  const keyOf = new Int32Array(countKeys(part.history)).map((_, key) => key);
  for (const item of part.items) keyOf[item.key] = known.get(nameOf(item)) ?? -1;
  return keyOf;
}
