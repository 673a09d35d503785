import type { Chains } from './chains.ts';
import type { Versions } from './versions.ts';

/**
 * A guess at the order of the transactions: by how deep each one lies in the graph of sessions and read-from, as a share
 * of the longest way through it. Unlike the pace of sessions, it does not mind if they were not equally fast. Null if the
 * graph has a cycle. Equally deep ones stay in the order of `pace`.
 */
export function byDepth(versions: Versions, chains: Chains, pace: Int32Array): Int32Array | null {
  const { numTxns, happened, numHappened, readStart, readVersion, writer, writeStart, readerStart, reader } = versions;
  const { previous, next } = chains;
  const numWritten = writer.length;
  const missing = new Int32Array(numTxns); // transactions before each one that the walk has not passed
  for (let t = 0; t < numTxns; t++) {
    if (previous[t] >= 0) missing[t]++;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++)
      if (readVersion[read] < numWritten) missing[t]++;
  }
  const queue = new Int32Array(numHappened);
  let filled = 0;
  for (let i = 0; i < numTxns; i++) if (happened[pace[i]] && missing[pace[i]] === 0) queue[filled++] = pace[i];
  const depth = new Int32Array(numTxns);
  for (let i = 0; i < filled; i++) {
    const t = queue[i];
    const below = depth[t] + 1;
    const after = next[t];
    if (after >= 0) {
      if (depth[after] < below) depth[after] = below;
      if (--missing[after] === 0) queue[filled++] = after;
    }
    for (let slot = readerStart[writeStart[t]], end = readerStart[writeStart[t + 1]]; slot < end; slot++) {
      const r = reader[slot];
      if (depth[r] < below) depth[r] = below;
      if (--missing[r] === 0) queue[filled++] = r;
    }
  }
  if (filled < numHappened) return null;

  const height = new Int32Array(numTxns);
  for (let i = filled - 1; i >= 0; i--) {
    const t = queue[i];
    let most = next[t] >= 0 ? height[next[t]] + 1 : 0;
    for (let slot = readerStart[writeStart[t]], end = readerStart[writeStart[t + 1]]; slot < end; slot++) {
      const below = height[reader[slot]] + 1;
      if (below > most) most = below;
    }
    height[t] = most;
  }

  // Counting sort, stable.
  const start = new Int32Array(numTxns + 2);
  const bucketOf = new Int32Array(numTxns);
  for (let t = 0; t < numTxns; t++) {
    bucketOf[t] = Math.floor((numTxns * (depth[t] + 1)) / (depth[t] + height[t] + 2));
    start[bucketOf[t] + 1]++;
  }
  for (let b = 0; b <= numTxns; b++) start[b + 1] += start[b];
  const order = new Int32Array(numTxns);
  for (let i = 0; i < numTxns; i++) order[start[bucketOf[pace[i]]]++] = pace[i];
  return order;
}
