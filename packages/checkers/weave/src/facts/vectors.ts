import { lowerBound, rowsBy } from '@isolab/graph';
import { type Before, type Reach, countBefore, directlyBefore } from './before.ts';
import type { Chains } from '../problem/chains.ts';
import type { Versions } from '../problem/versions.ts';

/**
 * For each transaction, a vector with one entry per chain: 1 plus the chain's last transaction that comes before it.
 */
export class Vectors implements Reach {
  readonly #versions: Versions;
  readonly #chains: Chains;
  readonly #byKey: WritersByKey;
  readonly #vectors: Int32Array;

  private constructor({ versions, chains }: Before, vectors: Int32Array) {
    this.#versions = versions;
    this.#chains = chains;
    this.#byKey = writersByKey(versions, chains.chainOf);
    this.#vectors = vectors;
  }

  /** Null if the certain facts have a cycle. */
  static of(before: Before): Vectors | null {
    const vectors = reachability(before);
    return vectors === null ? null : new Vectors(before, vectors);
  }

  has(first: number, second: number): boolean {
    if (this.#versions.happened[first] === 0) return false;
    const { chainOf, numChains } = this.#chains;
    return this.#vectors[second * numChains + chainOf[first]] > first;
  }

  mayHave(first: number, second: number): boolean {
    return this.has(first, second);
  }

  /** Returns the last writer of a key in each chain that is known to come before a transaction. */
  writersBefore(t: number, key: number): number[] {
    const { writer } = this.#versions;
    const { chainOf, numChains } = this.#chains;
    const { start, version, groupEnd, txn } = this.#byKey;
    const found: number[] = [];
    for (let group = start[key]; group < start[key + 1]; group = groupEnd[group]) {
      const limit = this.#vectors[t * numChains + chainOf[writer[version[group]]]];
      const low = lowerBound(txn, group, groupEnd[group], limit);
      if (low > group) found.push(writer[version[low - 1]]);
    }
    return found;
  }

  newFacts(): number[] {
    const found: number[] = [];
    const stamp = new Int32Array(this.#versions.numTxns).fill(-1);
    const groups = new Groups(this.#byKey.mostGroups);
    const { start } = this.#byKey;
    for (let key = 0; key < this.#versions.numKeys; key++)
      if (start[key + 1] - start[key] > 1) this.#factsOfKey(key, groups, stamp, found);
    return found;
  }

  /**
   * In each chain, the last writer that comes before a reader yields a fact, unless it comes before the writer of the
   * version that was read. Along a chain, the predecessors of successive writers only increase, so cursors move only
   * forward.
   */
  #factsOfKey(key: number, { begin, first, chain, cursor, head }: Groups, stamp: Int32Array, found: number[]): void {
    const { readerStart, reader } = this.#versions;
    const { chainOf, numChains } = this.#chains;
    const { start, version: versions, groupEnd, txn } = this.#byKey;
    const vectors = this.#vectors;
    let count = 0;
    for (let group = start[key]; group < start[key + 1]; group = groupEnd[group]) {
      begin[count] = group;
      first[count] = txn[group];
      chain[count++] = chainOf[txn[group]];
    }
    for (let run = 0; run < count; run++) {
      for (let g = 0; g < count; g++) cursor[g] = begin[g];
      for (let g = 0; g < count; g++) head[g] = first[g];
      for (let i = begin[run]; i < groupEnd[begin[run]]; i++) {
        const version = versions[i];
        if (readerStart[version] === readerStart[version + 1]) continue;
        const w = txn[i];
        for (let g = 0; g < count; g++) {
          const limit = vectors[w * numChains + chain[g]];
          if (head[g] >= limit) continue;
          const end = groupEnd[begin[g]];
          cursor[g] = firstFrom(txn, cursor[g], end, limit);
          head[g] = cursor[g] < end ? txn[cursor[g]] : MOST;
        }
        for (let slot = readerStart[version]; slot < readerStart[version + 1]; slot++) {
          const r = reader[slot];
          for (let g = 0; g < count; g++) {
            const limit = vectors[r * numChains + chain[g]];
            if (head[g] >= limit) continue;
            const u = txn[firstFrom(txn, cursor[g], groupEnd[begin[g]], limit) - 1];
            if (u === w || stamp[u] === version) continue;
            stamp[u] = version;
            found.push(u, w, r, version);
          }
        }
      }
    }
  }
}

/** Writers of one key, grouped by chain. */
class Groups {
  readonly begin: Int32Array; // place of the first writer of each chain
  readonly first: Int32Array; // number of that writer
  readonly chain: Int32Array;
  /**
   * Place of the chain's first writer that is not before `w`, and its number, or the greatest number if none remains.
   */
  readonly cursor: Int32Array;
  readonly head: Int32Array;

  constructor(most: number) {
    this.begin = new Int32Array(most);
    this.first = new Int32Array(most);
    this.chain = new Int32Array(most);
    this.cursor = new Int32Array(most);
    this.head = new Int32Array(most);
  }
}

const MOST = 2 ** 31 - 1;

/** Returns the first place after `from` with a number of at least `limit`, which is usually near. */
function firstFrom(numbers: Int32Array, from: number, end: number, limit: number): number {
  let low = from;
  let step = 1;
  while (low + step < end && numbers[low + step] < limit) {
    low += step;
    step *= 2;
  }
  return lowerBound(numbers, low + 1, Math.min(end, low + step), limit);
}

/** Searches depth-first from every transaction to its predecessors. Returns null if they have a cycle. */
function reachability(before: Before): Int32Array | null {
  const { numTxns, happened } = before.versions;
  const { chainOf, numChains, previous } = before.chains;
  const vectors = new Int32Array(numTxns * numChains);
  const state = new Uint8Array(numTxns);
  const cursor = new Int32Array(numTxns);
  const stack = new Int32Array(numTxns);
  for (let root = 0; root < numTxns; root++) {
    if (!happened[root] || state[root] !== NEW) continue;
    let depth = 0;
    stack[0] = root;
    state[root] = OPEN;
    while (depth >= 0) {
      const t = stack[depth];
      const count = countBefore(before, t);
      let next = -1;
      while (cursor[t] < count && next < 0) {
        const from = directlyBefore(before, t, cursor[t]++);
        if (from < 0 || state[from] === DONE) continue;
        if (state[from] === OPEN) return null;
        next = from;
      }
      if (next >= 0) {
        state[next] = OPEN;
        stack[++depth] = next;
        continue;
      }
      depth--;
      state[t] = DONE;
      const row = t * numChains;
      const last = previous[t];
      if (last >= 0) {
        vectors.copyWithin(row, last * numChains, (last + 1) * numChains);
        vectors[row + chainOf[t]] = last + 1;
      }
      for (let k = 1; k < count; k++) {
        const from = directlyBefore(before, t, k);
        if (from < 0 || vectors[row + chainOf[from]] > from) continue;
        vectors[row + chainOf[from]] = from + 1;
        const other = from * numChains;
        for (let c = 0; c < numChains; c++)
          if (vectors[other + c] > vectors[row + c]) vectors[row + c] = vectors[other + c];
      }
    }
  }
  return vectors;
}

interface WritersByKey {
  readonly start: Int32Array;
  readonly version: Int32Array;
  readonly groupEnd: Int32Array;
  readonly txn: Int32Array;
  /** Greatest number of chains that write one key. */
  readonly mostGroups: number;
}

/** Sorts the versions of each key by their writers, and marks where the next chain begins. */
function writersByKey({ numKeys, writeKey, writer, happened }: Versions, chainOf: Int32Array): WritersByKey {
  const { start, item: version } = rowsBy(
    writeKey.map((key, v) => (happened[writer[v]] === 1 ? key : -1)),
    numKeys,
  );
  const groupEnd = new Int32Array(writer.length);
  let mostGroups = 0;
  for (let key = 0; key < numKeys; key++) {
    let groups = 0;
    for (let i = start[key + 1] - 1; i >= start[key]; i--) {
      const same = i + 1 < start[key + 1] && chainOf[writer[version[i]]] === chainOf[writer[version[i + 1]]];
      groupEnd[i] = same ? groupEnd[i + 1] : i + 1;
      if (!same) groups++;
    }
    mostGroups = Math.max(mostGroups, groups);
  }
  return { start, version, groupEnd, txn: version.map((v) => writer[v]), mostGroups };
}

const NEW = 0;
const OPEN = 1;
const DONE = 2;
