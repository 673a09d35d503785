import { OpKind } from '@isolab/history';
import type { Dependencies } from './dependencies.ts';
import type { RealTime } from './real-time.ts';

export type Tick = (steps: number) => void;

/** Number of transactions between two ticks. */
const STRIDE = 4096;

/**
 * An order of the transactions in which all dependencies point forward (Kahn 1962), for the acyclicity check of
 * CheckSER and, with real time, of CheckSSER. Transactions on cycles and after them are missing from it.
 */
export function serialOrder(dependencies: Dependencies, realTime: RealTime | null, tick: Tick): Int32Array {
  const { history, runs, numOps, happened, txnOf, previous, next } = dependencies;
  const { version, lastReader, readerBefore, overwriter, numHappened } = dependencies;
  const { txnStart, opKind } = history;
  const numTxns = happened.length;

  const missing = new Int32Array(numTxns); // edges from unplaced transactions
  for (let run = 0; run < runs.length; run += 2) {
    for (let t = runs[run]; t < runs[run + 1]; t++) {
      if (previous[t] >= 0) missing[t]++;
      for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
        const seen = version[op];
        if (seen < 0) continue;
        if (seen < numOps) missing[t]++;
        const by = overwriter[seen];
        if (by >= 0 && by !== t) missing[by]++;
      }
    }
  }
  realTime?.addTo(missing);

  const order = new Int32Array(numHappened);
  let placed = 0;
  for (let t = 0; t < numTxns; t++) if (happened[t] === 1 && missing[t] === 0) order[placed++] = t;
  for (let at = 0; at < placed; at++) {
    if (at % STRIDE === 0) tick(STRIDE);
    const t = order[at];
    const after = next[t];
    if (after >= 0 && --missing[after] === 0) order[placed++] = after;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] === OpKind.Write) {
        for (let read = lastReader[op]; read >= 0; read = readerBefore[read]) {
          const reader = txnOf[read];
          if (--missing[reader] === 0) order[placed++] = reader;
        }
      } else if (version[op] >= 0) {
        const by = overwriter[version[op]];
        if (by >= 0 && by !== t && --missing[by] === 0) order[placed++] = by;
      }
    }
    if (realTime !== null) placed = realTime.place(t, missing, order, placed);
  }
  return order.subarray(0, placed);
}

/**
 * An order of begins (2t) and commits (2t + 1) for CheckSI. A dependency leads from commit to begin, an anti-dependency
 * from begin to commit. So two consecutive anti-dependencies do not chain, and the cycles are exactly those of
 * (SO ∪ WR ∪ WW) ; RW? (line 5 of CheckSI). No composition is stored.
 */
export function eventOrder(dependencies: Dependencies, tick: Tick): Int32Array {
  const { history, runs, numOps, happened, txnOf, previous, next } = dependencies;
  const { version, lastReader, readerBefore, overwriter, numHappened } = dependencies;
  const { txnStart, opKind } = history;
  const numTxns = happened.length;

  const missing = new Int32Array(2 * numTxns);
  for (let run = 0; run < runs.length; run += 2) {
    for (let t = runs[run]; t < runs[run + 1]; t++) {
      missing[2 * t + 1]++;
      if (previous[t] >= 0) missing[2 * t]++;
      for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
        const seen = version[op];
        if (seen < 0) continue;
        if (seen < numOps) missing[2 * t]++;
        const by = overwriter[seen];
        if (by >= 0 && by !== t) missing[2 * by + 1]++;
      }
    }
  }

  const order = new Int32Array(2 * numHappened);
  let placed = 0;
  for (let t = 0; t < numTxns; t++) if (happened[t] === 1 && missing[2 * t] === 0) order[placed++] = 2 * t;
  for (let at = 0; at < placed; at++) {
    if (at % STRIDE === 0) tick(STRIDE);
    const event = order[at];
    const t = event >> 1;
    if (event % 2 === 0) {
      if (--missing[event + 1] === 0) order[placed++] = event + 1;
      for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
        if (version[op] < 0) continue;
        const by = overwriter[version[op]];
        if (by >= 0 && by !== t && --missing[2 * by + 1] === 0) order[placed++] = 2 * by + 1;
      }
      continue;
    }
    const after = next[t];
    if (after >= 0 && --missing[2 * after] === 0) order[placed++] = 2 * after;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      for (let read = lastReader[op]; read >= 0; read = readerBefore[read]) {
        const begin = 2 * txnOf[read];
        if (--missing[begin] === 0) order[placed++] = begin;
      }
    }
  }
  return order.subarray(0, placed);
}
