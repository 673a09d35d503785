import { INITIAL_TXN, type LevelName } from '@isolab/contract';
import { countKeys } from '@isolab/history';
import { NO_SOURCE, writesKey } from '@isolab/graph/relations';
import type { EmitEdge } from '../edges/edges.ts';
import type { EdgeFacts } from '../edges/facts.ts';

/**
 * Read committed: if t₃ reads from t₂ and later reads x from t₁, and t₂ also writes x, then t₂ comes before t₁. Plume
 * requires this only if the read from t₂ is of another key than x; dbcop always requires it.
 * For every reader and every t₂ that it reads from, the smaller of two sets is traversed: the writes of t₂, or the
 * later reads of the reader. This takes O(n^1.5) time for n operations (AWDIT, section 4).
 */
export function readCommittedEdges(
  facts: EdgeFacts,
  level: LevelName,
  tick: (steps: number) => void,
  emit: EmitEdge,
): void {
  const { history, happened } = facts;
  const { txnStart } = history;
  const reader = new Reader(facts, level === 'read-committed-dbcop', emit);
  for (let t3 = 0; t3 < happened.length; t3++) {
    if (!happened[t3]) continue;
    reader.enter(t3);
    tick(txnStart[t3 + 1] - txnStart[t3]);
    reader.addEdges();
  }
}

/** The current reader t₃. Its number plus 1 marks its own entries in the columns. */
class Reader {
  readonly #facts: EdgeFacts;
  readonly #sameKeyCounts: boolean;
  readonly #emit: EmitEdge;
  #t3 = -1;
  // For each transaction that t₃ reads from: the first such read, and the first such read of a different key.
  readonly #sources: number[] = [];
  readonly #sourceStamp: Int32Array;
  readonly #firstRead: Int32Array;
  readonly #firstReadOfOther: Int32Array;
  // Its reads of each key, the latest first.
  readonly #keyStamp: Int32Array;
  readonly #latestRead: Int32Array;
  readonly #earlierRead: Int32Array;

  constructor(facts: EdgeFacts, sameKeyCounts: boolean, emit: EmitEdge) {
    const numTxns = facts.happened.length;
    const numKeys = countKeys(facts.history);
    this.#facts = facts;
    this.#sameKeyCounts = sameKeyCounts;
    this.#emit = emit;
    this.#sourceStamp = new Int32Array(numTxns);
    this.#firstRead = new Int32Array(numTxns);
    this.#firstReadOfOther = new Int32Array(numTxns);
    this.#keyStamp = new Int32Array(numKeys);
    this.#latestRead = new Int32Array(numKeys);
    this.#earlierRead = new Int32Array(longestTransaction(facts.history.txnStart));
  }

  enter(t3: number): void {
    const { history, source } = this.#facts;
    const { txnStart, opKey } = history;
    const sources = this.#sources;
    const sourceStamp = this.#sourceStamp;
    const firstRead = this.#firstRead;
    const firstReadOfOther = this.#firstReadOfOther;
    const keyStamp = this.#keyStamp;
    const start = txnStart[t3];
    const end = txnStart[t3 + 1];
    const stamp = t3 + 1;
    this.#t3 = t3;
    sources.length = 0;
    for (let read = start; read < end; read++) {
      const t2 = source[read];
      if (t2 === NO_SOURCE) continue;
      const key = opKey[read];
      this.#earlierRead[read - start] = keyStamp[key] === stamp ? this.#latestRead[key] : -1;
      keyStamp[key] = stamp;
      this.#latestRead[key] = read;
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
  }

  addEdges(): void {
    const { history, source, relations } = this.#facts;
    const { txnStart, opKey } = history;
    const writes = relations.writeSets;
    const emit = this.#emit;
    const start = txnStart[this.#t3];
    const end = txnStart[this.#t3 + 1];
    for (const t2 of this.#sources) {
      const first = this.#firstRead[t2];
      if (writes.start[t2 + 1] - writes.start[t2] <= end - first) {
        for (let i = writes.start[t2]; i < writes.start[t2 + 1]; i++) {
          const key = writes.key[i];
          if (this.#keyStamp[key] !== this.#t3 + 1) continue;
          const from = this.#seenAt(t2, key);
          for (let read = this.#latestRead[key]; read > from; read = this.#earlierRead[read - start])
            if (source[read] !== t2) emit(t2, source[read], read);
        }
      } else {
        for (let read = first + 1; read < end; read++) {
          const t1 = source[read];
          if (t1 === NO_SOURCE || t1 === t2 || read <= this.#seenAt(t2, opKey[read])) continue;
          if (writesKey(writes, t2, opKey[read])) emit(t2, t1, read);
        }
      }
    }
  }

  /** Returns the place where t₂ is seen before a relevant read of this key. */
  #seenAt(t2: number, key: number): number {
    const first = this.#firstRead[t2];
    return this.#sameKeyCounts || key !== this.#facts.history.opKey[first] ? first : this.#firstReadOfOther[t2];
  }
}

function longestTransaction(txnStart: Int32Array): number {
  let longest = 0;
  for (let t = 0; t + 1 < txnStart.length; t++) longest = Math.max(longest, txnStart[t + 1] - txnStart[t]);
  return longest;
}
