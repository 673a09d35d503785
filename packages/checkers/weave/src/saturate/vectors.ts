import { type Before, type Reach, countBefore, directlyBefore } from './before.ts';
import type { Chains } from '../view/chains.ts';
import type { Versions } from '../view/versions.ts';

/**
 * A vector for each transaction, which has for each chain the last transaction of it that comes before, plus 1. So of each
 * chain there is one fact at most to be had from a read: the last writer before that.
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

  /** Null if what is certain has a cycle. */
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

  /** Of each chain the last writer of a key that is known to come before a transaction. */
  writersBefore(t: number, key: number): number[] {
    const { writer } = this.#versions;
    const { chainOf, numChains } = this.#chains;
    const { start, version, groupEnd } = this.#byKey;
    const found: number[] = [];
    for (let group = start[key]; group < start[key + 1]; group = groupEnd[group]) {
      const limit = this.#vectors[t * numChains + chainOf[writer[version[group]]]];
      let low = group;
      let high = groupEnd[group];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (writer[version[middle]] < limit) low = middle + 1;
        else high = middle;
      }
      if (low > group) found.push(writer[version[low - 1]]);
    }
    return found;
  }

  newFacts(): number[] {
    const { writer, readerStart, reader } = this.#versions;
    const { chainOf, numChains } = this.#chains;
    const vectors = this.#vectors;
    const byKey = this.#byKey;
    const found: number[] = [];
    const stamp = new Int32Array(this.#versions.numTxns).fill(-1);
    for (let key = 0; key < this.#versions.numKeys; key++) {
      const start = byKey.start[key];
      const end = byKey.start[key + 1];
      if (end - start < 2) continue;
      for (let i = start; i < end; i++) {
        const version = byKey.version[i];
        const w = writer[version];
        for (let slot = readerStart[version]; slot < readerStart[version + 1]; slot++) {
          const r = reader[slot];
          // Writers are sorted by chain; of each chain counts the last one before the reader.
          for (let group = start; group < end;) {
            const chain = chainOf[writer[byKey.version[group]]];
            const next = byKey.groupEnd[group];
            const limit = vectors[r * numChains + chain];
            let low = group;
            let high = next;
            while (low < high) {
              const middle = (low + high) >> 1;
              if (writer[byKey.version[middle]] < limit) low = middle + 1;
              else high = middle;
            }
            if (low > group) {
              const u = writer[byKey.version[low - 1]];
              if (u !== w && stamp[u] !== version && vectors[w * numChains + chain] <= u) {
                stamp[u] = version;
                found.push(u, w, r, version);
              }
            }
            group = next;
          }
        }
      }
    }
    return found;
  }
}

/** Depth first, from every transaction to those before it; null if there is a cycle. */
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
}

/** The versions of each key in the order of their writers, and for the first of each chain where the next begins. */
function writersByKey({ numKeys, writeKey, writer, happened }: Versions, chainOf: Int32Array): WritersByKey {
  const start = new Int32Array(numKeys + 1);
  for (let v = 0; v < writeKey.length; v++) if (happened[writer[v]] === 1) start[writeKey[v] + 1]++;
  for (let key = 0; key < numKeys; key++) start[key + 1] += start[key];
  const cursor = start.slice(0, numKeys);
  const version = new Int32Array(writer.length);
  for (let v = 0; v < writer.length; v++) if (happened[writer[v]] === 1) version[cursor[writeKey[v]]++] = v;
  const groupEnd = new Int32Array(writer.length);
  for (let key = 0; key < numKeys; key++) {
    for (let i = start[key + 1] - 1; i >= start[key]; i--) {
      const same = i + 1 < start[key + 1] && chainOf[writer[version[i]]] === chainOf[writer[version[i + 1]]];
      groupEnd[i] = same ? groupEnd[i + 1] : i + 1;
    }
  }
  return { start, version, groupEnd };
}

const NEW = 0;
const OPEN = 1;
const DONE = 2;
