import { rowsBy } from '@isolab/graph';
import { type History, Times, sortByTime } from '@isolab/history';

/**
 * Sorts all transactions into the order in which a search should try them: by begin times if the source has them,
 * otherwise as if every session ran its transactions at an even pace. The closer this order is to the real execution,
 * the fewer conflicts the search meets.
 */
export function byPace({ sessionStart, txnBegin }: History): Int32Array {
  const numTxns = sessionStart[sessionStart.length - 1];
  if (txnBegin !== null) return byTime(txnBegin);
  const bucketOf = new Int32Array(numTxns);
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    const first = sessionStart[s];
    const length = sessionStart[s + 1] - first;
    for (let i = 0; i < length; i++) bucketOf[first + i] = Math.floor((i * numTxns) / length);
  }
  return rowsBy(bucketOf, numTxns).item;
}

/** Returns all transactions in the order of a column of times, those without a time first. */
export const byTime = (times: BigInt64Array): Int32Array => sortByTime(Int32Array.from(times.keys()), new Times(times));
