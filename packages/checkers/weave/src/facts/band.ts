import { EdgeColumns, prefixSums } from '@isolab/graph';
import { type Before, type Reach, countBefore, directlyBefore } from './before.ts';
import { RankSet } from './rank-set.ts';
import type { Tuning } from '../problem/tuning.ts';
import type { Versions } from '../problem/versions.ts';

/**
 * For each transaction, a bit set of the transactions before it. Transactions are ranked in an order that agrees with
 * all certain relations and otherwise follows the guess. In histories so large that these bits would not fit into
 * memory, pairs that lie farther apart are left out.
 */
export class Band implements Reach {
  readonly #versions: Versions;
  readonly #rank: Int32Array;
  /** For each transaction, bits of its predecessors up to its own rank, in words that begin at multiples of 32. */
  readonly #bits: Int32Array;
  readonly #words: number;
  readonly #withAntidependencies: boolean;
  readonly #writersLookedAt: number;
  /** Versions of each key, sorted by the ranks of their writers. */
  readonly #start: Int32Array;
  readonly #version: Int32Array;

  private constructor(before: Before, sorted: Int32Array, withAntidependencies: boolean, tuning: Tuning) {
    this.#writersLookedAt = tuning.writersLookedAt;
    this.#versions = before.versions;
    this.#withAntidependencies = withAntidependencies;
    this.#rank = new Int32Array(before.versions.numTxns).fill(-1);
    for (let i = 0; i < sorted.length; i++) this.#rank[sorted[i]] = i;
    this.#words = Math.min((sorted.length >> 5) + 1, Math.max(Math.floor(tuning.bandWords / sorted.length), 1));
    this.#bits = closure(before, sorted, this.#rank, this.#words);
    [this.#start, this.#version] = versionsByKey(before.versions, sorted);
  }

  /** Returns null if the certain relations have a cycle. */
  static of(before: Before, guess: Int32Array, withAntidependencies: boolean, tuning: Tuning): Band | null {
    const sorted = sortCertain(before, guess);
    return sorted === null ? null : new Band(before, sorted, withAntidependencies, tuning);
  }

  has(first: number, second: number): boolean {
    const rank = this.#rank[first];
    const row = this.#rank[second];
    const back = (row >> 5) - (rank >> 5);
    if (rank < 0 || back < 0 || back >= this.#words) return false;
    return ((this.#bits[(row + 1) * this.#words - 1 - back] >>> (rank & 31)) & 1) === 1;
  }

  mayHave(first: number, second: number): boolean {
    const isFar = (this.#rank[second] >> 5) - (this.#rank[first] >> 5) >= this.#words;
    return isFar || this.has(first, second);
  }

  writersBefore(t: number, key: number): number[] {
    return this.#writersBefore(t, key, -1);
  }

  /** Returns the latest known writers of a key before a transaction. */
  #writersBefore(t: number, key: number, known: number): number[] {
    const { writer } = this.#versions;
    const rank = this.#rank;
    const version = this.#version;
    const from = this.#start[key];
    let low = from;
    let high = this.#start[key + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rank[writer[version[middle]]] < rank[t]) low = middle + 1;
      else high = middle;
    }
    const farthest = rank[t] - 32 * this.#words;
    const found: number[] = [];
    for (let i = low - 1; i >= from && i >= low - this.#writersLookedAt; i--) {
      const u = writer[version[i]];
      if (rank[u] <= farthest) break;
      if (u === known || !this.has(u, t) || (known >= 0 && this.has(u, known))) continue;
      if (!found.some((later) => this.has(u, later))) found.push(u);
    }
    return found;
  }

  /** Returns the earliest writers of a key that are known to come after its writer `w` (−1: the initial state). */
  #writersAfter(w: number, key: number): number[] {
    const { writer } = this.#versions;
    const version = this.#version;
    const end = this.#start[key + 1];
    let i = this.#start[key];
    if (w >= 0) while (this.#rank[writer[version[i]]] <= this.#rank[w]) i++;
    const found: number[] = [];
    for (const last = i + this.#writersLookedAt; i < end && i < last; i++) {
      const u = writer[version[i]];
      if ((w < 0 || this.has(w, u)) && !found.some((earlier) => this.has(earlier, u))) found.push(u);
    }
    return found;
  }

  newFacts(): number[] {
    const { writer, writeKey, readerStart, reader } = this.#versions;
    const found: number[] = [];
    for (let version = 0; version < writer.length; version++) {
      const w = writer[version];
      if (this.#rank[w] < 0) continue;
      for (let slot = readerStart[version]; slot < readerStart[version + 1]; slot++) {
        const r = reader[slot];
        for (const u of this.#writersBefore(r, writeKey[version], w)) found.push(u, w, r, version);
      }
    }
    if (this.#withAntidependencies) this.#addAntidependencies(found);
    return found;
  }

  /** Where transactions are single events, a reader comes before the known overwriters of its version. */
  #addAntidependencies(found: number[]): void {
    const { writer, writeKey, readerStart, reader, numKeys } = this.#versions;
    for (let version = 0; version < writer.length + numKeys; version++) {
      if (readerStart[version] === readerStart[version + 1]) continue;
      const w = version < writer.length ? writer[version] : -1;
      if (w >= 0 && this.#rank[w] < 0) continue;
      const after = this.#writersAfter(w, w < 0 ? version - writer.length : writeKey[version]);
      for (let slot = readerStart[version]; slot < readerStart[version + 1]; slot++) {
        const r = reader[slot];
        if (this.#rank[r] < 0) continue;
        for (const u of after) if (u !== r && !this.has(r, u)) found.push(r, u, r, version);
      }
    }
  }
}

/** Sorts the transactions that happened: each comes after its certain predecessors, and otherwise the guess decides. */
function sortCertain(before: Before, guess: Int32Array): Int32Array | null {
  const { numTxns, numHappened, happened } = before.versions;
  const missing = new Int32Array(numTxns);
  const edges = new EdgeColumns();
  for (let t = 0; t < numTxns; t++) {
    if (happened[t] === 0) continue;
    for (let k = 0, count = countBefore(before, t); k < count; k++) {
      const from = directlyBefore(before, t, k);
      if (from < 0) continue;
      missing[t]++;
      edges.add(from, t);
    }
  }
  const { start, target: after } = edges.digraph(numTxns);
  const place = new Int32Array(numTxns);
  for (let i = 0; i < numTxns; i++) place[guess[i]] = i;
  const ready = new RankSet(numTxns);
  for (let t = 0; t < numTxns; t++) if (happened[t] === 1 && missing[t] === 0) ready.add(place[t]);
  const sorted = new Int32Array(numHappened);
  let filled = 0;
  for (let next = ready.takeFirst(); next >= 0; next = ready.takeFirst()) {
    const t: number = guess[next];
    sorted[filled++] = t;
    for (let i = start[t]; i < start[t + 1]; i++) if (--missing[after[i]] === 0) ready.add(place[after[i]]);
  }
  return filled === numHappened ? sorted : null;
}

function closure(before: Before, sorted: Int32Array, rank: Int32Array, words: number): Int32Array {
  const bits = new Int32Array(sorted.length * words);
  const ranks: number[] = [];
  for (let i = 0; i < sorted.length; i++) {
    const t = sorted[i];
    const row = i * words;
    ranks.length = 0;
    for (let k = 0, count = countBefore(before, t); k < count; k++) {
      const from = directlyBefore(before, t, k);
      if (from >= 0) ranks.push(rank[from]);
    }
    ranks.sort(descending); // events before the last of them need no visits of their own
    for (const at of ranks) {
      const back = (i >> 5) - (at >> 5);
      if (back >= words) break;
      const word = row + words - 1 - back;
      if ((bits[word] >>> (at & 31)) & 1) continue;
      bits[word] |= 1 << (at & 31);
      const other = at * words + back;
      for (let j = Math.max(words - 1 - (i >> 5), 0); j < words - back; j++) bits[row + j] |= bits[other + j];
    }
  }
  return bits;
}

const descending = (a: number, b: number): number => b - a;

function versionsByKey({ numKeys, writeStart, writeKey }: Versions, sorted: Int32Array): [Int32Array, Int32Array] {
  const start = new Int32Array(numKeys + 1);
  for (const t of sorted) for (let v = writeStart[t]; v < writeStart[t + 1]; v++) start[writeKey[v] + 1]++;
  const version = new Int32Array(prefixSums(start)[numKeys]);
  const cursor = start.slice(0, numKeys);
  for (const t of sorted) for (let v = writeStart[t]; v < writeStart[t + 1]; v++) version[cursor[writeKey[v]]++] = v;
  return [start, version];
}
