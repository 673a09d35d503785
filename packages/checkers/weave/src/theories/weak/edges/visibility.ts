import type { LevelName } from '@isolab/contract';
import { countSessions, isEarlierStatement } from '@isolab/history';
import type { Tuning } from '../../../problem/tuning.ts';
import { type EdgeFacts, countHappened } from './facts.ts';

/** Transactions that a level makes visible to a reader, queried for the readers of a commit order in turn. */
export interface Visibility {
  enter(t3: number): void;
  /** Returns whether `t2`, which the order has before the reader, is visible to the reader at this read. */
  isVisible(t2: number, read: number): boolean;
}

/** Returns whether the vectors of causal visibility fit into memory; see causal.ts for the alternative. */
export const canSee = ({ history, happened }: EdgeFacts, level: LevelName, { weakVectorNumbers }: Tuning): boolean =>
  level !== 'causal' || countHappened({ happened }) * countSessions(history) <= weakVectorNumbers;

export const visibilityOf = (facts: EdgeFacts, level: LevelName): Visibility =>
  level === 'causal' ? new CausalVisibility(facts) : new DirectVisibility(facts, level);

/**
 * Read committed: the sources of reads in earlier statements, of a different key than the current read or (dbcop) of any key. Read
 * atomic: all sources of the reader, and its own session so far.
 */
export class DirectVisibility implements Visibility {
  // For each source of the reader at read committed: the first read of it, and the first such read of a different key.
  readonly #firstRead: Int32Array;
  readonly #firstReadOfOther: Int32Array;
  readonly #facts: EdgeFacts;
  readonly #isAtomic: boolean;
  readonly #sameKeyCounts: boolean;
  readonly #stamp: Int32Array;
  readonly #sources: number[] = [];
  #reader = -1;
  #isRead = false; // most readers are never queried

  constructor(facts: EdgeFacts, level: LevelName) {
    const numTxns = facts.happened.length;
    this.#facts = facts;
    this.#isAtomic = level === 'read-atomic';
    this.#sameKeyCounts = level !== 'read-committed';
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
    const { opKey, txnSession } = this.#facts.history;
    if (this.#stamp[t2] === this.#reader + 1)
      return this.#isAtomic || isEarlierStatement(this.#facts.history, this.seenAt(t2, opKey[read]), read);
    return this.#isAtomic && txnSession[t2] === txnSession[this.#reader] && t2 < this.#reader;
  }

  /** Returns the transactions that the reader reads from. */
  sources(): readonly number[] {
    if (!this.#isRead) this.#readAll();
    return this.#sources;
  }

  /** Returns the place after which a source is visible to reads of some key. */
  firstSeenAt(t2: number): number {
    return this.#isAtomic ? this.#facts.history.txnStart[this.#reader] - 1 : this.#firstRead[t2];
  }

  /** Returns the place after which a source is visible to reads of this key. */
  seenAt(t2: number, key: number): number {
    const first = this.firstSeenAt(t2);
    return this.#sameKeyCounts || key !== this.#facts.history.opKey[first] ? first : this.#firstReadOfOther[t2];
  }

  #readAll(): void {
    const { history, source } = this.#facts;
    const { opKey, txnStart } = history;
    const t3 = this.#reader;
    const end = txnStart[t3 + 1];
    this.#isRead = true;
    this.#sources.length = 0;
    for (let read = txnStart[t3]; read < end; read++) {
      const t2 = source[read];
      if (t2 < 0) continue;
      if (this.#stamp[t2] !== t3 + 1) {
        this.#stamp[t2] = t3 + 1;
        this.#sources.push(t2);
        if (this.#isAtomic) continue;
        this.#firstRead[t2] = read;
        this.#firstReadOfOther[t2] = end;
      } else if (
        !this.#sameKeyCounts &&
        this.#firstReadOfOther[t2] === end &&
        opKey[read] !== opKey[this.#firstRead[t2]]
      ) {
        this.#firstReadOfOther[t2] = read;
      }
    }
  }
}

/**
 * Causal: for each session, the last transaction that reaches the reader by session order and read-from, plus 1. May
 * be restricted to the sessions from `first` to `last`.
 */
export class CausalVisibility implements Visibility {
  /** Vectors of the transactions that happened, in the order in which they were first entered. */
  readonly vectors: Int32Array;
  /** Place of the vector of each transaction, plus 1; 0 until it is entered. */
  readonly #placeOf: Int32Array;
  readonly #facts: EdgeFacts;
  readonly #first: number;
  readonly #width: number;
  #places = 0;
  #row = 0;

  constructor(facts: EdgeFacts, first = 0, last: number = countSessions(facts.history)) {
    this.#facts = facts;
    this.#first = first;
    this.#width = last - first;
    this.#placeOf = new Int32Array(facts.happened.length);
    this.vectors = new Int32Array(countHappened(facts) * this.#width);
  }

  /** Returns the start of the vector of a transaction that was entered. */
  rowOf(t: number): number {
    return (this.#placeOf[t] - 1) * this.#width;
  }

  enter(t3: number): void {
    if (this.#placeOf[t3] === 0) {
      this.#placeOf[t3] = ++this.#places;
      this.#fill(t3);
    }
    this.#row = this.rowOf(t3);
  }

  #fill(t3: number): void {
    const { history, source, previous } = this.#facts;
    const { txnStart, txnSession } = history;
    const { vectors } = this;
    const first = this.#first;
    const width = this.#width;
    const row = this.rowOf(t3);
    const before = previous[t3];
    if (before >= 0) {
      const other = this.rowOf(before);
      vectors.copyWithin(row, other, other + width);
      const own = txnSession[t3] - first;
      if (own >= 0 && own < width) vectors[row + own] = before + 1;
    }
    for (let op = txnStart[t3], end = txnStart[t3 + 1]; op < end; op++) {
      const from = source[op];
      if (from < 0) continue;
      const column = txnSession[from] - first;
      if (column >= 0 && column < width) {
        if (vectors[row + column] > from) continue; // already visible, like the transactions visible to it
        vectors[row + column] = from + 1;
      }
      const other = this.rowOf(from);
      for (let c = 0; c < width; c++) if (vectors[other + c] > vectors[row + c]) vectors[row + c] = vectors[other + c];
    }
  }

  isVisible(t2: number): boolean {
    return this.vectors[this.#row + this.#facts.history.txnSession[t2] - this.#first] > t2;
  }
}
