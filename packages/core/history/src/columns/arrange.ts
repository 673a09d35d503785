import { type Column, emptyLike, trim } from './columns.ts';

/** Runs of operations in file order, each with its transaction. `start` has one extra slot. */
export interface Segments {
  readonly count: number;
  readonly start: Int32Array;
  readonly txn: Int32Array;
}

/** Arranges a column in its final length and order. May overwrite `spare` with the result. */
export type Arrange = <C extends Column>(column: C, spare?: C) => C;

export interface Arrangement {
  readonly sessionStart: Int32Array;
  readonly txnStart: Int32Array;
  readonly arrangeTxns: Arrange;
  readonly arrangeOps: Arrange;
}

/** Orders a history by session and transaction. Costs nothing if the file is already in this order. */
export function groupBySession(txnSession: Int32Array, numSessions: number, segments: Segments): Arrangement {
  const txns = txnSession.length;
  const sessionStart = new Int32Array(numSessions + 1);
  for (let t = 0; t < txns; t++) sessionStart[txnSession[t] + 1]++;
  for (let s = 0; s < numSessions; s++) sessionStart[s + 1] += sessionStart[s];

  const cursor = sessionStart.slice();
  const newTxn = new Int32Array(txns);
  for (let t = 0; t < txns; t++) newTxn[t] = cursor[txnSession[t]]++;

  const { count, start, txn } = segments;
  const txnStart = new Int32Array(txns + 1);
  for (let s = 0; s < count; s++) txnStart[newTxn[txn[s]] + 1] += start[s + 1] - start[s];
  for (let t = 0; t < txns; t++) txnStart[t + 1] += txnStart[t];

  const ops = txnStart[txns];
  if (isInOrder(newTxn, segments)) {
    return {
      sessionStart,
      txnStart,
      arrangeTxns: (column) => trim(column, txns),
      arrangeOps: (column) => trim(column, ops),
    };
  }

  const newStart = new Int32Array(count);
  const next = txnStart.slice();
  for (let s = 0; s < count; s++) {
    const t = newTxn[txn[s]];
    newStart[s] = next[t];
    next[t] += start[s + 1] - start[s];
  }
  return {
    sessionStart,
    txnStart,
    arrangeTxns: (column) => {
      const arranged = emptyLike(column, txns);
      for (let t = 0; t < txns; t++) arranged[newTxn[t]] = column[t]!;
      return arranged;
    },
    arrangeOps: (column, spare) => {
      const arranged = spare ? trim(spare, ops) : emptyLike(column, ops);
      // V8 optimizes code for one type of array; most columns have this type.
      if (column instanceof Int32Array && arranged instanceof Int32Array)
        moveInts(column, arranged, count, start, newStart);
      else {
        for (let s = 0; s < count; s++) {
          const shift = newStart[s] - start[s];
          for (let op = start[s], end = start[s + 1]; op < end; op++) arranged[op + shift] = column[op]!;
        }
      }
      return arranged;
    },
  };
}

function moveInts(from: Int32Array, to: Int32Array, count: number, start: Int32Array, newStart: Int32Array): void {
  for (let s = 0; s < count; s++) {
    const shift = newStart[s] - start[s];
    for (let op = start[s], end = start[s + 1]; op < end; op++) to[op + shift] = from[op];
  }
}

function isInOrder(newTxn: Int32Array, { count, txn }: Segments): boolean {
  for (let t = 0; t < newTxn.length; t++) if (newTxn[t] !== t) return false;
  for (let s = 1; s < count; s++) if (txn[s] < txn[s - 1]) return false;
  return true;
}
