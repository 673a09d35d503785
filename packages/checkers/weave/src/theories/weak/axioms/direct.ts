import type { LevelName } from '@isolab/contract';
import { countKeys, isEarlierStatement } from '@isolab/history';
import { NO_SOURCE, writesKey } from '@isolab/graph/relations';
import type { EmitEdge } from '../edges/edges.ts';
import type { EdgeFacts } from '../edges/facts.ts';
import { DirectVisibility } from '../edges/visibility.ts';

/**
 * Read committed and read atomic: if t₃ reads x from t₁, and t₂, which also writes x, is visible to t₃ at this read,
 * then t₂ comes before t₁. At read committed, t₂ is visible if t₃ read from it in an earlier statement; Plume requires that this was
 * a read of another key than x, dbcop does not. At read atomic, it is visible if t₃ reads from it at any place, or if
 * it precedes t₃ in its session.
 * For every reader and every t₂ that it reads from, the smaller of two sets is traversed: the writes of t₂, or the
 * reads of the reader. This takes O(n^1.5) time for n operations (AWDIT, section 4).
 */
export function directEdges(facts: EdgeFacts, level: LevelName, tick: (steps: number) => void, emit: EmitEdge): void {
  const { history, happened } = facts;
  const { txnStart } = history;
  const reader = new Reader(facts, new DirectVisibility(facts, level), emit);
  for (let t3 = 0; t3 < happened.length; t3++) {
    if (!happened[t3]) continue;
    reader.enter(t3);
    tick(txnStart[t3 + 1] - txnStart[t3]);
    reader.addEdges();
  }
  if (level === 'read-atomic') sessionEdges(facts, emit);
}

/** The current reader t₃. Its number plus 1 marks its own entries in the columns. */
class Reader {
  readonly #facts: EdgeFacts;
  readonly #visibility: DirectVisibility;
  readonly #emit: EmitEdge;
  #t3 = -1;
  // Its reads of each key, the latest first.
  readonly #keyStamp: Int32Array;
  readonly #latestRead: Int32Array;
  readonly #earlierRead: Int32Array;

  constructor(facts: EdgeFacts, visibility: DirectVisibility, emit: EmitEdge) {
    const numKeys = countKeys(facts.history);
    this.#facts = facts;
    this.#visibility = visibility;
    this.#emit = emit;
    this.#keyStamp = new Int32Array(numKeys);
    this.#latestRead = new Int32Array(numKeys);
    this.#earlierRead = new Int32Array(longestTransaction(facts.history.txnStart));
  }

  enter(t3: number): void {
    const { history, source } = this.#facts;
    const { txnStart, opKey } = history;
    const keyStamp = this.#keyStamp;
    const start = txnStart[t3];
    const stamp = t3 + 1;
    this.#t3 = t3;
    this.#visibility.enter(t3);
    for (let read = start, end = txnStart[stamp]; read < end; read++) {
      if (source[read] === NO_SOURCE) continue;
      const key = opKey[read];
      this.#earlierRead[read - start] = keyStamp[key] === stamp ? this.#latestRead[key] : -1;
      keyStamp[key] = stamp;
      this.#latestRead[key] = read;
    }
  }

  addEdges(): void {
    const { history, source, relations } = this.#facts;
    const { txnStart, opKey } = history;
    const visibility = this.#visibility;
    const writes = relations.writeSets;
    const emit = this.#emit;
    const start = txnStart[this.#t3];
    const end = txnStart[this.#t3 + 1];
    for (const t2 of visibility.sources()) {
      const first = visibility.firstSeenAt(t2);
      if (writes.start[t2 + 1] - writes.start[t2] <= end - first) {
        for (let i = writes.start[t2]; i < writes.start[t2 + 1]; i++) {
          const key = writes.key[i];
          if (this.#keyStamp[key] !== this.#t3 + 1) continue;
          const from = visibility.seenAt(t2, key);
          for (let read = this.#latestRead[key]; read > from; read = this.#earlierRead[read - start])
            if (source[read] !== t2 && isEarlierStatement(history, from, read)) emit(t2, source[read], read);
        }
      } else {
        for (let read = first + 1; read < end; read++) {
          const t1 = source[read];
          if (t1 === NO_SOURCE || t1 === t2 || !visibility.isVisible(t2, read)) continue;
          if (writesKey(writes, t2, opKey[read])) emit(t2, t1, read);
        }
      }
    }
  }
}

/** Emits edges from writers in the reader's session. Only the last writer of x counts; the rest is session order. */
function sessionEdges({ history, happened, source, relations }: EdgeFacts, emit: EmitEdge): void {
  const { txnStart, txnSession, opKey } = history;
  const writes = relations.writeSets;
  const lastWriter = new Int32Array(countKeys(history)).fill(-1);
  for (let t3 = 0; t3 < happened.length; t3++) {
    if (!happened[t3]) continue;
    for (let read = txnStart[t3]; read < txnStart[t3 + 1]; read++) {
      const t2 = lastWriter[opKey[read]];
      if (t2 < 0 || source[read] === NO_SOURCE || source[read] === t2) continue;
      if (txnSession[t2] === txnSession[t3]) emit(t2, source[read], read);
    }
    for (let i = writes.start[t3]; i < writes.start[t3 + 1]; i++) lastWriter[writes.key[i]] = t3;
  }
}

function longestTransaction(txnStart: Int32Array): number {
  let longest = 0;
  for (let t = 0; t + 1 < txnStart.length; t++) longest = Math.max(longest, txnStart[t + 1] - txnStart[t]);
  return longest;
}
