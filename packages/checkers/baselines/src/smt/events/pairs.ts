import { topologicalOrder, positions, digraphOf, EdgeColumns } from '@isolab/graph';
import { neighboursOf, nodesInPlace } from '@isolab/graph/relations';
import type { History } from '@isolab/history';
import { type BeginCommitVersions, beginOf, commitOf, initialVersion } from '@isolab/polygraph';

export const Order = { Open: 0, First: 1, Second: 2 } as const;

/** Returns the assumed order of two versions, the version with the lower number first. */
export type PairOrder = (first: number, second: number) => number;

export const nothingSettled: PairOrder = () => Order.Open;

/**
 * Heuristic pruning (Viper, section 3.5) of pairs of writers: a commit that is `k` or more places before a begin, in an
 * order of the events in which all known edges lead forward, is assumed to precede it.
 */
export function settledByRank({ writer }: BeginCommitVersions, rank: Int32Array, k: number): PairOrder {
  return (first, second) => {
    const a = writer[first];
    const b = writer[second];
    if (rank[beginOf(b)] - rank[commitOf(a)] >= k) return Order.First;
    return rank[beginOf(a)] - rank[commitOf(b)] >= k ? Order.Second : Order.Open;
  };
}

export function countSettled({ keyStart, numKeys }: BeginCommitVersions, orderOf: PairOrder): number {
  let settled = 0;
  for (let key = 0; key < numKeys; key++) {
    for (let v = keyStart[key]; v < keyStart[key + 1]; v++)
      for (let u = v + 1; u < keyStart[key + 1]; u++) if (orderOf(v, u) !== Order.Open) settled++;
  }
  return settled;
}

/** Place of each event in a likely order, or null. Session order counts unless it contradicts the other edges. */
export function likelyRanks(history: History, versions: BeginCommitVersions, sessions: boolean): Int32Array | null {
  return ranks(history, versions, true) ?? (sessions ? null : ranks(history, versions, false));
}

function ranks(history: History, versions: BeginCommitVersions, sessions: boolean): Int32Array | null {
  const { numTxns, happened, numKeys, numWritten, keyStart, writer, readerStart, reader } = versions;
  const edges = new EdgeColumns(reader.length + 2 * numTxns);
  for (let t = 0; t < numTxns; t++) edges.add(beginOf(t), commitOf(t));
  for (let v = 0; v < numWritten; v++)
    for (let row = readerStart[v]; row < readerStart[v + 1]; row++)
      edges.add(commitOf(writer[v]), beginOf(reader[row]));
  for (let key = 0; key < numKeys; key++) {
    const initial = initialVersion(versions, key);
    for (let row = readerStart[initial]; row < readerStart[initial + 1]; row++)
      for (let v = keyStart[key]; v < keyStart[key + 1]; v++)
        if (writer[v] !== reader[row]) edges.add(beginOf(reader[row]), commitOf(writer[v]));
  }
  if (sessions) for (const [a, b] of sessionPairs(history, happened)) edges.add(commitOf(a), beginOf(b));
  const { from, to, count } = edges;
  const order = topologicalOrder(digraphOf(2 * numTxns, from, to, count));
  return order.length === 2 * numTxns ? positions(order, 2 * numTxns) : null;
}

/** Pairs of each transaction that happened and the next such transaction of its session. */
export function sessionPairs(history: History, happened: Uint8Array): (readonly [number, number])[] {
  const { next } = neighboursOf(history, nodesInPlace(happened));
  return Array.from(next, (later, t) => [t, later] as const).filter(([, later]) => later >= 0);
}
