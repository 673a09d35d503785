import { type History, NO_TIME, TimeBounds, type TransactionId } from '@isolab/history';

/** Times of call and return, by transaction; infinite where unknown. */
export interface RealTimes {
  readonly begin: Float64Array;
  readonly end: Float64Array;
}

/** Returns null if the times do not fit into floating-point numbers. */
export function realTimesOf(history: History): RealTimes | null {
  const { txnBegin, txnEnd, txnStatus } = history;
  let least: bigint | null = null;
  let most = 0n;
  for (const column of [txnBegin, txnEnd])
    for (const time of column ?? []) {
      if (time === NO_TIME) continue;
      if (least === null || time < least) least = time;
      if (time > most) most = time;
    }
  const from = least ?? 0n;
  const bounds = new TimeBounds(history);
  if (most - from > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  const begin = new Float64Array(txnStatus.length).fill(-Infinity);
  const end = new Float64Array(txnStatus.length).fill(Infinity);
  for (let t = 0 as TransactionId; t < txnStatus.length; t++) {
    if (txnBegin !== null && txnBegin[t] !== NO_TIME) begin[t] = Number(txnBegin[t]! - from);
    if (bounds.hasReturned(t)) end[t] = Number(bounds.latestCommit(t) - from);
  }
  return { begin, end };
}
