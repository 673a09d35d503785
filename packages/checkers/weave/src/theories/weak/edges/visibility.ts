import type { LevelName } from '@isolab/contract';
import { countSessions } from '@isolab/history';
import type { Tuning } from '../../../problem/tuning.ts';
import type { EdgeFacts } from './facts.ts';

/** Transactions that a level makes visible to a reader, queried for the readers of a commit order in turn. */
export interface Visibility {
  enter(t3: number): void;
  /** Returns whether `t2`, which the order has before the reader, is visible to the reader at this read. */
  isVisible(t2: number, read: number): boolean;
}

/** Returns whether the vectors of causal visibility fit into memory; see causal.ts for the alternative. */
export const canSee = ({ history, happened }: EdgeFacts, level: LevelName, { weakVectorNumbers }: Tuning): boolean =>
  level !== 'causal' || happened.length * countSessions(history) <= weakVectorNumbers;

export function visibilityOf(facts: EdgeFacts, level: LevelName): Visibility {
  if (level === 'causal') return new CausalVisibility(facts);
  return level === 'read-atomic' ? new DirectVisibility(facts) : new EarlierVisibility(facts, level);
}

/** Read committed: earlier sources of the reader, at a different key than the current read or (dbcop) at any key. */
class EarlierVisibility implements Visibility {
  readonly #facts: EdgeFacts;
  readonly #sameKeyCounts: boolean;
  readonly #stamp: Int32Array;
  readonly #firstRead: Int32Array;
  readonly #firstReadOfOther: Int32Array;
  #reader = -1;
  #isRead = false; // most readers are never queried

  constructor(facts: EdgeFacts, level: LevelName) {
    this.#facts = facts;
    this.#sameKeyCounts = level === 'read-committed-dbcop';
    const numTxns = facts.happened.length;
    this.#stamp = new Int32Array(numTxns);
    this.#firstRead = new Int32Array(numTxns);
    this.#firstReadOfOther = new Int32Array(numTxns);
  }

  enter(t3: number): void {
    this.#reader = t3;
    this.#isRead = false;
  }

  isVisible(t2: number, read: number): boolean {
    if (!this.#isRead) this.#readAll();
    if (this.#stamp[t2] !== this.#reader + 1) return false;
    const first = this.#firstRead[t2];
    const { opKey } = this.#facts.history;
    return read > (this.#sameKeyCounts || opKey[read] !== opKey[first] ? first : this.#firstReadOfOther[t2]);
  }

  #readAll(): void {
    const { history, source } = this.#facts;
    const t3 = this.#reader;
    this.#isRead = true;
    for (let read = history.txnStart[t3], end = history.txnStart[t3 + 1]; read < end; read++) {
      const t2 = source[read];
      if (t2 < 0) continue;
      if (this.#stamp[t2] !== t3 + 1) {
        this.#stamp[t2] = t3 + 1;
        this.#firstRead[t2] = read;
        this.#firstReadOfOther[t2] = end;
      } else if (this.#firstReadOfOther[t2] === end && history.opKey[read] !== history.opKey[this.#firstRead[t2]]) {
        this.#firstReadOfOther[t2] = read;
      }
    }
  }
}

/** Read atomic: the reader's own session so far, and its sources. */
class DirectVisibility implements Visibility {
  readonly #facts: EdgeFacts;
  readonly #stamp: Int32Array;
  #reader = -1;
  #isRead = false;

  constructor(facts: EdgeFacts) {
    this.#facts = facts;
    this.#stamp = new Int32Array(facts.happened.length);
  }

  enter(t3: number): void {
    this.#reader = t3;
    this.#isRead = false;
  }

  isVisible(t2: number): boolean {
    if (!this.#isRead) this.#readAll();
    const { txnSession } = this.#facts.history;
    return this.#stamp[t2] === this.#reader + 1 || (txnSession[t2] === txnSession[this.#reader] && t2 < this.#reader);
  }

  #readAll(): void {
    const { history, source } = this.#facts;
    const t3 = this.#reader;
    this.#isRead = true;
    for (let read = history.txnStart[t3], end = history.txnStart[t3 + 1]; read < end; read++) {
      if (source[read] >= 0) this.#stamp[source[read]] = t3 + 1;
    }
  }
}

/** Causal: for each session, the last transaction that reaches the reader by session order and read-from, plus 1. */
class CausalVisibility implements Visibility {
  readonly #facts: EdgeFacts;
  readonly #sessions: number;
  readonly #vectors: Int32Array;
  #row = 0;

  constructor(facts: EdgeFacts) {
    this.#facts = facts;
    this.#sessions = countSessions(facts.history);
    this.#vectors = new Int32Array(facts.happened.length * this.#sessions);
  }

  enter(t3: number): void {
    const { history, source, previous } = this.#facts;
    const { txnStart, txnSession } = history;
    const sessions = this.#sessions;
    const vectors = this.#vectors;
    const row = t3 * sessions;
    this.#row = row;
    const before = previous[t3];
    if (before >= 0) {
      vectors.copyWithin(row, before * sessions, (before + 1) * sessions);
      vectors[row + txnSession[t3]] = before + 1;
    }
    for (let op = txnStart[t3], end = txnStart[t3 + 1]; op < end; op++) {
      const from = source[op];
      if (from < 0 || vectors[row + txnSession[from]] > from) continue; // already visible, like the transactions visible to it
      vectors[row + txnSession[from]] = from + 1;
      const other = from * sessions;
      for (let s = 0; s < sessions; s++)
        if (vectors[other + s] > vectors[row + s]) vectors[row + s] = vectors[other + s];
    }
  }

  isVisible(t2: number): boolean {
    return this.#vectors[this.#row + this.#facts.history.txnSession[t2]] > t2;
  }
}
