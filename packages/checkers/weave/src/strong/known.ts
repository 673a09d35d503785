import type { Chains } from './chains.ts';
import type { Versions } from './versions.ts';

/** A step of what is known: by the chain, by a read (its number), or by a fact (its number). */
export interface KnownStep {
  readonly from: number;
  readonly to: number;
  readonly kind: 'chain' | 'read' | 'fact';
  readonly number: number;
}

/**
 * What comes before what without any choice: chains, read-from, and facts, which saturation adds to them: r reads a key
 * from w, and u, which writes it, too, is known to come before r; then u comes before w.
 *
 * Reachability is a vector for each transaction, which has for each chain the last transaction of it that comes before,
 * plus 1. So of each chain there is one fact at most to be had from a read: the last writer before that.
 */
export class Known {
  /** Facts, by the transaction that must wait; `factRead` is the read of r. */
  factStart: Int32Array;
  factFrom: Int32Array = new Int32Array(0);
  factReader: Int32Array = new Int32Array(0);
  factVersion: Int32Array = new Int32Array(0);
  factRound: Int32Array = new Int32Array(0);
  /** Rounds whose facts the vectors know. */
  rounds = 0;
  readonly versions: Versions;
  readonly #chains: Chains;
  readonly #byKey: WritersByKey;
  #vectors: Int32Array;

  private constructor(versions: Versions, chains: Chains) {
    this.versions = versions;
    this.#chains = chains;
    this.#byKey = writersByKey(versions, chains.chainOf);
    this.factStart = new Int32Array(versions.numTxns + 1);
    this.#vectors = new Int32Array(0);
  }

  /** Null where it would take too much memory, or what is known has a cycle without any fact. */
  static of(versions: Versions, chains: Chains, rounds: number, tick: (steps: number) => void): Known | null {
    if (versions.numTxns * chains.numChains > MOST_NUMBERS) return null;
    const known = new Known(versions, chains);
    for (let round = 0; ; round++) {
      const vectors = known.#reachability();
      tick(versions.numTxns);
      if (vectors === null) return round === 0 ? null : known; // the search will run into the cycle
      known.#vectors = vectors;
      known.rounds = round;
      if (round === rounds || !known.#saturate(round)) return known;
    }
  }

  /** Whether the first transaction is known to come before the second one. */
  has(first: number, second: number): boolean {
    if (this.versions.happened[first] === 0) return false;
    const { chainOf, numChains } = this.#chains;
    return this.#vectors[second * numChains + chainOf[first]] > first;
  }

  /** The k-th transaction directly before one, of its chain (0), its reads, and its facts; −1 where there is none. */
  #before(t: number, k: number): number {
    const { readStart, readVersion, writer } = this.versions;
    if (k === 0) return this.#chains.previous[t];
    const read = readStart[t] + k - 1;
    if (read < readStart[t + 1]) return readVersion[read] < writer.length ? writer[readVersion[read]] : -1;
    return this.factFrom[this.factStart[t] + read - readStart[t + 1]];
  }

  #countBefore(t: number): number {
    const { readStart } = this.versions;
    return 1 + readStart[t + 1] - readStart[t] + this.factStart[t + 1] - this.factStart[t];
  }

  /** Depth first, from every transaction to those before it; null if there is a cycle. */
  #reachability(): Int32Array | null {
    const { numTxns, happened } = this.versions;
    const { chainOf, numChains, previous } = this.#chains;
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
        const count = this.#countBefore(t);
        let next = -1;
        while (cursor[t] < count && next < 0) {
          const before = this.#before(t, cursor[t]++);
          if (before < 0 || state[before] === DONE) continue;
          if (state[before] === OPEN) return null;
          next = before;
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
          const from = this.#before(t, k);
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

  /** Of each chain the last writer of a key that is known to come before a transaction. */
  writersBefore(t: number, key: number): number[] {
    const { writer } = this.versions;
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

  /** Adds the facts that the vectors show; whether there are new ones. */
  #saturate(round: number): boolean {
    const { writer, readerStart, reader } = this.versions;
    const { chainOf, numChains } = this.#chains;
    const vectors = this.#vectors;
    const byKey = this.#byKey;
    const found: number[] = []; // from, to, reader, version
    const stamp = new Int32Array(this.versions.numTxns).fill(-1);
    for (let key = 0; key < this.versions.numKeys; key++) {
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
    if (found.length === 0) return false;
    this.#addFacts(found, round + 1);
    return true;
  }

  #addFacts(found: readonly number[], round: number): void {
    const { numTxns } = this.versions;
    const old = this.factFrom.length;
    const total = old + found.length / 4;
    const start = new Int32Array(numTxns + 1);
    for (let t = 0; t < numTxns; t++) start[t + 1] = this.factStart[t + 1] - this.factStart[t];
    for (let i = 0; i < found.length; i += 4) start[found[i + 1]! + 1]++;
    for (let t = 0; t < numTxns; t++) start[t + 1] += start[t];
    const cursor = start.slice(0, numTxns);
    const columns = [0, 1, 2, 3].map(() => new Int32Array(total)) as [Int32Array, Int32Array, Int32Array, Int32Array];
    const put = (to: number, from: number, reader: number, version: number, of: number): void => {
      const at = cursor[to]++;
      columns[0][at] = from;
      columns[1][at] = reader;
      columns[2][at] = version;
      columns[3][at] = of;
    };
    for (let t = 0; t < numTxns; t++)
      for (let i = this.factStart[t]; i < this.factStart[t + 1]; i++)
        put(t, this.factFrom[i], this.factReader[i], this.factVersion[i], this.factRound[i]);
    for (let i = 0; i < found.length; i += 4) put(found[i + 1]!, found[i]!, found[i + 2]!, found[i + 3]!, round);
    [this.factFrom, this.factReader, this.factVersion, this.factRound] = columns;
    this.factStart = start;
  }

  /** A shortest way from one transaction to another that it is known to come before, by facts of these rounds at most. */
  path(from: number, to: number, rounds: number): KnownStep[] {
    const next = new Map<number, KnownStep>();
    const { readStart } = this.versions;
    let frontier = [to];
    while (!next.has(from)) {
      if (frontier.length === 0) throw new Error(`Transaction ${from} is not known to come before ${to}.`);
      const farther: number[] = [];
      for (const t of frontier) {
        const reads = readStart[t + 1] - readStart[t];
        for (let k = 0; k < this.#countBefore(t); k++) {
          const before = this.#before(t, k);
          if (before < 0 || next.has(before) || (before !== from && !this.has(from, before))) continue;
          const fact = this.factStart[t] + k - 1 - reads;
          if (k > reads && this.factRound[fact] > rounds) continue;
          const kind = k === 0 ? 'chain' : k <= reads ? 'read' : 'fact';
          next.set(before, { from: before, to: t, kind, number: k <= reads ? readStart[t] + k - 1 : fact });
          farther.push(before);
        }
      }
      frontier = farther;
    }
    const steps: KnownStep[] = [];
    for (let t = from; t !== to; t = steps[steps.length - 1]!.to) steps.push(next.get(t)!);
    return steps;
  }
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

/** A gigabyte of them. */
const MOST_NUMBERS = 2 ** 28;
