/**
 * Indexes a history in several threads, by chunks of transactions: first all writes, then all reads. Each thread claims
 * the next chunk until none is left, so a thread that starts late, or never, costs nothing. Needs a history in which no
 * value is written twice; leaves the columns of the index and the counts.
 */
import { newBytes, newInts } from '../columns/columns.ts';
import type { TransactionId } from '../columns/ids.ts';
import { type History, countOperations, countValues, withoutNames } from './history.ts';
import { type IndexColumns, type IndexCounts, Resolver } from './resolve-reads.ts';
import { type SharedVersions, Versions } from './versions.ts';

/** Data that the threads share. */
export interface ChunkedIndex {
  readonly history: History;
  readonly columns: IndexColumns;
  readonly versions: SharedVersions;
  /** Number of transactions of a chunk. */
  readonly chunk: number;
  /** Counters, by the names in {@link Count}. */
  readonly counts: Int32Array;
}

const Count = {
  /** 1 if the index cannot be made in this way. */
  Failed: 0,
  /** Chunks whose writes a thread has claimed, and chunks whose writes are entered. */
  Claimed: 1,
  Entered: 2,
  /** Chunks whose reads a thread has claimed, and chunks whose reads are resolved. */
  Asked: 3,
  Resolved: 4,
  /** Writes of known values, and versions in the slots. They differ if two threads wrote to one slot. */
  Writes: 5,
  Versions: 6,
  AmbiguousReads: 7,
  SpoiltReads: 8,
  SomeNodeAmbiguous: 9,
} as const;

export const chunkedIndex = (history: History, columns: IndexColumns, threads: number): ChunkedIndex => ({
  history: withoutNames(history),
  columns,
  chunk: Math.min(MOST_TRANSACTIONS, Math.ceil(history.txnStatus.length / (LEAST_CHUNKS * threads))),
  versions: {
    numbers: newInts(2 * countValues(history), 0),
    written: newBytes(countOperations(history), 0),
    isAppended: newBytes(history.keyInitial.length, 0),
  },
  counts: newInts(Object.keys(Count).length, 0),
});

/** Work of another thread, which needs no result. */
export const indexChunks = (index: ChunkedIndex): void => void new ChunkIndexer(index).run();

/** Work of one thread. */
export class ChunkIndexer {
  readonly #index: ChunkedIndex;
  readonly #versions: Versions;
  readonly #chunks: number;

  constructor(index: ChunkedIndex) {
    const { history, columns, versions, chunk } = index;
    this.#index = index;
    this.#versions = new Versions(history, null, columns.isContested, versions);
    this.#chunks = Math.ceil(history.txnStatus.length / chunk);
  }

  /** Enters the writes of the next chunk. Returns false if there is none, or if a value is written twice. */
  enterNext(): boolean {
    const { counts } = this.#index;
    const chunk = this.#claim(Count.Claimed);
    if (chunk < 0) return false;
    const before = this.#versions.entered;
    if (!this.#versions.enter(this.#first(chunk), this.#first(chunk + 1))) {
      this.#fail();
      return false;
    }
    Atomics.add(counts, Count.Writes, this.#versions.entered - before);
    this.#end(Count.Entered);
    return true;
  }

  /** Claims chunks until none is left. Returns the counts once all threads have ended theirs; null if they failed. */
  run(): IndexCounts | null {
    const { history, columns, counts } = this.#index;
    while (this.enterNext());
    if (!this.#isEnded(Count.Entered)) return null;
    const resolver = new Resolver(history, this.#versions, columns);
    let before = resolver.counts();
    for (let chunk = this.#claim(Count.Asked); chunk >= 0; chunk = this.#claim(Count.Asked)) {
      resolver.resolve(this.#first(chunk), this.#first(chunk + 1));
      const now = resolver.counts();
      Atomics.add(counts, Count.AmbiguousReads, now.ambiguousReads - before.ambiguousReads);
      Atomics.add(counts, Count.SpoiltReads, now.spoiltReads - before.spoiltReads);
      if (now.someNodeAmbiguous) Atomics.store(counts, Count.SomeNodeAmbiguous, 1);
      Atomics.add(counts, Count.Versions, this.#countVersions(chunk));
      before = now;
      this.#end(Count.Resolved);
    }
    if (!this.#isEnded(Count.Resolved) || counts[Count.Versions] !== counts[Count.Writes]) return null;
    return {
      ambiguousReads: counts[Count.AmbiguousReads],
      spoiltReads: counts[Count.SpoiltReads],
      someNodeAmbiguous: counts[Count.SomeNodeAmbiguous] === 1,
      repeatedWrites: 0,
      firstRepeated: -1,
    };
  }

  #first(chunk: number): TransactionId {
    return Math.min(chunk * this.#index.chunk, this.#index.history.txnStatus.length) as TransactionId;
  }

  #claim(claimed: number): number {
    const { counts } = this.#index;
    const chunk = Atomics.load(counts, Count.Failed) === 1 ? this.#chunks : Atomics.add(counts, claimed, 1);
    return chunk < this.#chunks ? chunk : -1;
  }

  #end(ended: number): void {
    const { counts } = this.#index;
    if (Atomics.add(counts, ended, 1) + 1 === this.#chunks) Atomics.notify(counts, ended);
  }

  #fail(): void {
    const { counts } = this.#index;
    Atomics.store(counts, Count.Failed, 1);
    Atomics.notify(counts, Count.Entered);
    Atomics.notify(counts, Count.Resolved);
  }

  /** Waits until all chunks have ended. Returns false if the work failed, or if a thread ended in the middle of a chunk. */
  #isEnded(ended: number): boolean {
    const { counts } = this.#index;
    for (let seen = Atomics.load(counts, ended); seen < this.#chunks;) {
      if (Atomics.load(counts, Count.Failed) === 1) return false;
      Atomics.wait(counts, ended, seen, PATIENCE_MS);
      const now = Atomics.load(counts, ended);
      if (now === seen) this.#fail();
      seen = now;
    }
    return true;
  }

  /** Counts the versions in a part of the slots. */
  #countVersions(chunk: number): number {
    const { numbers } = this.#index.versions;
    const slots = numbers.length / 2;
    let versions = 0;
    const end = 2 * Math.floor((slots * (chunk + 1)) / this.#chunks);
    for (let at = 2 * Math.floor((slots * chunk) / this.#chunks) + 1; at < end; at += 2)
      if (numbers[at] !== 0) versions++;
    return versions;
  }
}

/** Largest number of transactions of a chunk, which take about a millisecond. */
const MOST_TRANSACTIONS = 4096;
/** Chunks of each thread, at least. */
const LEAST_CHUNKS = 4;
/** Longest time for a chunk; a thread that needs more is gone. */
const PATIENCE_MS = 10_000;
