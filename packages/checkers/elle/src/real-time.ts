import { NO_TIME, TxnStatus } from '@isolab/history';
import type { Model } from './model.ts';

/** Time at which a node's transaction returned; null if unknown: it may take effect at any time. */
export function returnOf({ history, txnOf }: Model, node: number): bigint | null {
  const t = txnOf[node];
  const end = history.txnEnd === null ? NO_TIME : history.txnEnd[t];
  return history.txnStatus[t] === TxnStatus.Committed && end !== NO_TIME ? end : null;
}

/** Returns whether one node's transaction returned before the other node's was called. */
export function isBefore(model: Model, earlier: number, later: number): boolean {
  const end = returnOf(model, earlier);
  return end !== null && model.history.txnBegin !== null && end < model.history.txnBegin[model.txnOf[later]];
}

/** Calls (2 × node) and returns (2 × node + 1) by time. A call precedes a return at an equal time: the two overlap. */
export function timeLine(model: Model): Int32Array {
  const { txnBegin, txnEnd, txnStatus } = model.history;
  const { numNodes, txnOf } = model;
  if (txnBegin === null || txnEnd === null) return new Int32Array(0);
  const events = new Int32Array(2 * numNodes);
  const time = new BigInt64Array(2 * numNodes);
  let count = 0;
  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    if (txnBegin[t] !== NO_TIME) {
      time[2 * node] = txnBegin[t];
      events[count++] = 2 * node;
    }
    if (txnStatus[t] === TxnStatus.Committed && txnEnd[t] !== NO_TIME) {
      time[2 * node + 1] = txnEnd[t];
      events[count++] = 2 * node + 1;
    }
  }
  const known = events.subarray(0, count);
  const rank = ranks(known, time);
  return known.toSorted((a, b) => rank[a] - rank[b] || (a & 1) - (b & 1) || a - b);
}

/** Numbers ordered like the times but faster to compare: distances from the first time, if these are exact. */
function ranks(events: Int32Array, time: BigInt64Array): Float64Array {
  const rank = new Float64Array(time.length);
  if (events.length === 0) return rank;
  let first = time[events[0]];
  let last = first;
  for (let i = 1; i < events.length; i++) {
    if (time[events[i]] < first) first = time[events[i]];
    if (time[events[i]] > last) last = time[events[i]];
  }
  if (last - first <= BigInt(Number.MAX_SAFE_INTEGER)) {
    for (let i = 0; i < events.length; i++) rank[events[i]] = Number(time[events[i]] - first);
    return rank;
  }
  const places = new Map(Array.from(time.toSorted(), (each, place) => [each, place]));
  for (let i = 0; i < events.length; i++) rank[events[i]] = places.get(time[events[i]])!;
  return rank;
}
