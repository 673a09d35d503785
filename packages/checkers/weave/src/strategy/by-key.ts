import type { IndexedHistory } from '@isolab/contract';
import { type History, NO_TIME, type ReadFromIndex, countTransactions } from '@isolab/history';
import { regrouped } from './regroup.ts';

/** A history in which keys follow one another, and the original numbers of its transactions and operations. */
export interface ByKey {
  readonly input: IndexedHistory;
  readonly txnOf: Int32Array;
  readonly opOf: Int32Array;
}

/**
 * Builds a history of transactions on one key each (or no key, if they aborted), with every session divided by key, and
 * all times of a key before those of the next key. It is strictly serializable exactly if each key is: a key interacts
 * with another only by ending before the other begins, so no cycle leads from one key to another and back, and orders
 * of single keys can be concatenated.
 */
export function keyAfterKey({ history, index, internal }: IndexedHistory): ByKey {
  const { txnStart, opKey, txnSession } = history;
  const all = Int32Array.from({ length: countTransactions(history) }, (_, t) => t);
  const isEmpty = (t: number): boolean => txnStart[t] === txnStart[t + 1];
  const txnOf = all.filter((t) => !isEmpty(t)).toSorted((a, b) => opKey[txnStart[a]] - opKey[txnStart[b]] || a - b);
  const keyOf = txnOf.map((t) => opKey[txnStart[t]]);
  const txnStarts = [0];
  const sessionStart: number[] = [];
  txnOf.forEach((t, i) => {
    txnStarts.push(txnStarts[i]! + txnStart[t + 1] - txnStart[t]);
    if (i === 0 || keyOf[i] !== keyOf[i - 1] || txnSession[t] !== txnSession[txnOf[i - 1]]) sessionStart.push(i);
  });
  sessionStart.push(txnOf.length);
  const opOf = new Int32Array(txnStarts.at(-1)!);
  txnOf.forEach((t, i) => {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) opOf[txnStarts[i]! + op - txnStart[t]] = op;
  });
  const groups = { sessionStart, txnOf, txnStart: txnStarts, opOf };
  const rearranged = { ...regrouped(history, groups), ...timesByKey(history, txnOf, keyOf) };
  const input = { history: rearranged, index: renumbered(index, txnOf, opOf), internal };
  return { input, txnOf, opOf };
}

/** Replaces times by numbers in their order, with all times of a key before those of the next key. */
function timesByKey({ txnBegin, txnEnd }: History, txnOf: Int32Array, keyOf: Int32Array) {
  const known = [txnBegin, txnEnd].flatMap((times) =>
    times === null ? [] : [times.filter((time) => time !== NO_TIME)],
  );
  const sorted = new BigInt64Array(known.reduce((sum, times) => sum + times.length, 0));
  let filled = 0;
  for (const times of known) {
    sorted.set(times, filled);
    filled += times.length;
  }
  sorted.sort();
  const span = BigInt(sorted.length + 1);
  const move = (times: BigInt64Array | null): BigInt64Array | null =>
    times &&
    BigInt64Array.from(txnOf, (t, i) =>
      times[t] === NO_TIME ? NO_TIME : BigInt(keyOf[i]) * span + BigInt(countBelow(sorted, times[t])),
    );
  return { txnBegin: move(txnBegin), txnEnd: move(txnEnd) };
}

function countBelow(sorted: BigInt64Array, time: bigint): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Renumbers the index of the history. Building it again, session by session, could give a different index. */
function renumbered(index: ReadFromIndex, txnOf: Int32Array, opOf: Int32Array): ReadFromIndex {
  const newOp = new Int32Array(index.readFrom.length).fill(-1);
  for (let op = 0; op < opOf.length; op++) newOp[opOf[op]] = op;
  const renumber = (from: number): number => (from < 0 ? from : newOp[from]);
  // Every field is listed, because a forgotten field with numbers would refer to other transactions.
  return {
    readFrom: opOf.map((op) => renumber(index.readFrom[op])),
    rowReadFrom: index.rowReadFrom.map(renumber),
    nodeAppend: index.nodeAppend.map(renumber),
    outcome: Uint8Array.from(txnOf, (t) => index.outcome[t]),
    isOdd: Uint8Array.from(txnOf, (t) => index.isOdd[t]),
    repeatedWrites: index.repeatedWrites,
    firstRepeated: renumber(index.firstRepeated),
    ambiguousReads: index.ambiguousReads,
    spoiltReads: index.spoiltReads,
  };
}
