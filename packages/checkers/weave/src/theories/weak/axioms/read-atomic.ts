import { countKeys } from '@isolab/history';
import { NO_SOURCE, writesKey } from '@isolab/graph/relations';
import { INITIAL_TXN } from '@isolab/contract';
import type { EmitEdge } from '../edges/edges.ts';
import type { EdgeFacts } from '../edges/facts.ts';

/**
 * Read atomic: if t₃ reads x from t₁, and t₂, which also writes x, precedes t₃ in its session or is read by t₃, then t₂
 * comes before t₁. In a session only the last writer of x counts, since the rest follows from session order. For each
 * source of t₃, the smaller of two sets is traversed: its writes or the reads of t₃ (AWDIT, section 4).
 */
export function readAtomicEdges(facts: EdgeFacts, tick: (steps: number) => void, emit: EmitEdge): void {
  const { history, happened, source } = facts;
  const { txnStart, txnSession, opKey } = history;
  const writes = facts.relations.writeSets;
  const numKeys = countKeys(history);
  const sourceStamp = new Int32Array(happened.length);
  const keyStamp = new Int32Array(numKeys);
  const readOf = new Int32Array(numKeys);
  const lastWriter = new Int32Array(numKeys); // in the current session
  const lastWriterSession = new Int32Array(numKeys).fill(-1);

  for (let t3 = 0; t3 < happened.length; t3++) {
    if (!happened[t3]) continue;
    const start = txnStart[t3];
    const end = txnStart[t3 + 1];
    const stamp = t3 + 1;
    const session = txnSession[t3];
    for (let read = start; read < end; read++) {
      const t1 = source[read];
      if (t1 === NO_SOURCE) continue;
      const key = opKey[read];
      keyStamp[key] = stamp;
      readOf[key] = read;
      if (lastWriterSession[key] === session && lastWriter[key] !== t1) emit(lastWriter[key], t1, read);
    }

    tick(end - start);
    for (let other = start; other < end; other++) {
      const t2 = source[other];
      if (t2 === NO_SOURCE || t2 === INITIAL_TXN || sourceStamp[t2] === stamp) continue;
      sourceStamp[t2] = stamp;
      if (writes.start[t2 + 1] - writes.start[t2] <= end - start) {
        for (let i = writes.start[t2]; i < writes.start[t2 + 1]; i++) {
          const key = writes.key[i];
          if (keyStamp[key] === stamp && source[readOf[key]] !== t2) emit(t2, source[readOf[key]], readOf[key]);
        }
      } else {
        for (let read = start; read < end; read++) {
          if (source[read] !== NO_SOURCE && source[read] !== t2 && writesKey(writes, t2, opKey[read]))
            emit(t2, source[read], read);
        }
      }
    }

    for (let i = writes.start[t3]; i < writes.start[t3 + 1]; i++) {
      lastWriter[writes.key[i]] = t3;
      lastWriterSession[writes.key[i]] = session;
    }
  }
}
