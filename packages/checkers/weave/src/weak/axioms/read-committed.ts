import { INITIAL_TXN, type LevelName } from '@isolab/contract';
import { countKeys } from '@isolab/history';
import { NO_SOURCE, writesKey } from '@isolab/relations';
import type { EmitEdge } from '../edges.ts';
import type { Facts } from '../facts.ts';

/**
 * Read committed: if t₃ reads from t₂ and after that x from t₁, and t₂ writes x too, then t₂ comes before t₁. Plume asks
 * for this only where the read from t₂ is of another key than x; dbcop asks for it always.
 *
 * For every reader and every t₂ that it reads from, walk through the smaller of two sets: what t₂ writes, and what the
 * reader reads later. That is O(n^1.5) for n operations (AWDIT, section 4).
 */
export function readCommittedEdges(
  facts: Facts,
  level: LevelName,
  tick: (steps: number) => void,
  emit: EmitEdge,
): void {
  const { history, happened, source } = facts;
  const { txnStart, opKey } = history;
  const sameKeyCounts = level === 'read-committed-dbcop';
  const writes = facts.relations.writeSets;
  const numTxns = happened.length;
  // Of the reader at hand, its number plus 1 being the stamp: for each transaction it reads from, where it first does so,
  // of which key, and where it first does so of another key.
  const sourceStamp = new Int32Array(numTxns);
  const firstRead = new Int32Array(numTxns);
  const firstReadOfOther = new Int32Array(numTxns);
  // Its reads of each key, the latest first.
  const keyStamp = new Int32Array(countKeys(history));
  const latestRead = new Int32Array(countKeys(history));
  const earlierRead = new Int32Array(longestTransaction(txnStart));
  const sources: number[] = [];

  for (let t3 = 0; t3 < numTxns; t3++) {
    if (!happened[t3]) continue;
    const start = txnStart[t3];
    const end = txnStart[t3 + 1];
    const stamp = t3 + 1;
    sources.length = 0;
    for (let read = start; read < end; read++) {
      const t2 = source[read];
      if (t2 === NO_SOURCE) continue;
      const key = opKey[read];
      earlierRead[read - start] = keyStamp[key] === stamp ? latestRead[key] : -1;
      keyStamp[key] = stamp;
      latestRead[key] = read;
      if (t2 === INITIAL_TXN) continue;
      if (sourceStamp[t2] !== stamp) {
        sourceStamp[t2] = stamp;
        firstRead[t2] = read;
        firstReadOfOther[t2] = end;
        sources.push(t2);
      } else if (firstReadOfOther[t2] === end && key !== opKey[firstRead[t2]]) {
        firstReadOfOther[t2] = read;
      }
    }

    tick(end - start);
    for (const t2 of sources) {
      const first = firstRead[t2];
      /** Where t₂ is seen before a read of this key that counts. */
      const seenAt = (key: number): number => (sameKeyCounts || key !== opKey[first] ? first : firstReadOfOther[t2]);
      if (writes.start[t2 + 1] - writes.start[t2] <= end - first) {
        for (let i = writes.start[t2]; i < writes.start[t2 + 1]; i++) {
          const key = writes.key[i];
          if (keyStamp[key] !== stamp) continue;
          const from = seenAt(key);
          for (let read = latestRead[key]; read > from; read = earlierRead[read - start])
            if (source[read] !== t2) emit(t2, source[read], read);
        }
      } else {
        for (let read = first + 1; read < end; read++) {
          const t1 = source[read];
          if (t1 === NO_SOURCE || t1 === t2 || read <= seenAt(opKey[read])) continue;
          if (writesKey(writes, t2, opKey[read])) emit(t2, t1, read);
        }
      }
    }
  }
}

function longestTransaction(txnStart: Int32Array): number {
  let longest = 0;
  for (let t = 0; t + 1 < txnStart.length; t++) longest = Math.max(longest, txnStart[t + 1] - txnStart[t]);
  return longest;
}
