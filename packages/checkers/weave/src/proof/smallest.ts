import type { CycleCertificate, Edge, Reason } from '@isolab/contract';
import { NO_TIME, TimeBounds, type TransactionId } from '@isolab/history';
import { isShownBefore } from '../problem/certain.ts';
import type { Contradiction } from './contradiction.ts';

/** Edges between two events: transactions, or their begins and commits. `write` and `read` belong to derived edges. */
interface Link {
  readonly from: number;
  readonly to: number;
  readonly reason: Reason | null;
  /** Events between which a path implies the edge, with the operations below; null for other edges. */
  readonly path: readonly [from: number, to: number] | null;
  readonly read: number;
  readonly write: number;
}

/**
 * Finds the smallest cycle among some transactions that needs no choice, counting the edges of reasons; null if there
 * is none. Its edges are sessions, certain reads, real time and lists, and, repeatedly, the consequences of their
 * paths: that a read was overwritten, or that it shows which of two writers came first.
 * Sizes are a least fixpoint: shortest paths (Floyd and Warshall), then their consequences, until no size decreases.
 */
export function smallestCycle(contradiction: Contradiction, transactions: readonly number[]): CycleCertificate | null {
  const happened = transactions.filter((t) => contradiction.versions.happened[t] === 1);
  return happened.length > contradiction.tuning.smallestAmong ? null : new Derivations(contradiction, happened).cycle();
}

class Derivations {
  readonly #contradiction: Contradiction;
  readonly #txns: readonly number[];
  readonly #shift: 0 | 1;
  readonly #numEvents: number;
  readonly #links: Link[] = [];
  readonly #writers = new Map<number, number[]>();
  /** 1 for each pair of transactions that both write some key. */
  readonly #writeOneKey: Uint8Array;
  /** Size of the smallest path between each pair of events, and its first link, or −1. */
  readonly #size: Float64Array;
  readonly #direct: Int32Array;

  constructor(contradiction: Contradiction, transactions: readonly number[]) {
    this.#contradiction = contradiction;
    this.#txns = transactions;
    this.#shift = contradiction.model.split ? 1 : 0;
    this.#numEvents = transactions.length << this.#shift;
    this.#writeOneKey = new Uint8Array(transactions.length ** 2);
    for (const a of transactions.keys()) this.#enterWrites(a);
    this.#size = new Float64Array(this.#numEvents ** 2).fill(Infinity);
    this.#direct = new Int32Array(this.#numEvents ** 2).fill(-1);
    for (let e = 0; e < this.#numEvents; e++) this.#size[e * this.#numEvents + e] = 0;
    if (this.#shift === 1) for (let e = 0; e < this.#numEvents; e += 2) this.#size[e * this.#numEvents + e + 1] = 0;
  }

  cycle(): CycleCertificate | null {
    this.#addGiven();
    const derived = this.#derivable();
    const weight = new Float64Array(this.#numEvents ** 2).fill(Infinity); // weights of direct links
    for (const [i, link] of this.#links.entries()) if (link.path === null) this.#enter(weight, i, 1);
    for (let changed = true; changed;) {
      this.#closePaths();
      changed = false;
      for (const i of derived) {
        const [from, to] = this.#links[i]!.path!;
        const size = from < 0 ? 2 : 1 + this.#size[from * this.#numEvents + to];
        if (this.#enter(weight, i, size)) changed = true;
      }
    }
    let best = -1;
    let least = Infinity;
    for (const [i, { from, to }] of this.#links.entries()) {
      const at = from * this.#numEvents + to;
      if (this.#direct[at] !== i) continue;
      const total = weight[at] + this.#size[to * this.#numEvents + from];
      if (total < least) [best, least] = [i, total];
    }
    if (best < 0 || least > this.#contradiction.tuning.largestCycle) return null;
    const { from, to } = this.#links[best]!;
    return { kind: 'cycle', edges: [this.#edge(best, weight), ...this.#path(to, from, weight)] };
  }

  /** Uses a link as the path between its events if it is smaller than any path so far. */
  #enter(weight: Float64Array, i: number, size: number): boolean {
    const { from, to } = this.#links[i]!;
    const at = from * this.#numEvents + to;
    if (size >= weight[at]) return false;
    weight[at] = size;
    this.#direct[at] = i;
    if (size < this.#size[at]) this.#size[at] = size;
    return true;
  }

  #closePaths(): void {
    const size = this.#size;
    const n = this.#numEvents;
    for (let k = 0; k < n; k++)
      for (let i = 0; i < n; i++) {
        const first = size[i * n + k];
        if (first === Infinity) continue;
        for (let j = 0; j < n; j++)
          if (first + size[k * n + j] < size[i * n + j]) size[i * n + j] = first + size[k * n + j];
      }
  }

  #begin(i: number): number {
    return i << this.#shift;
  }

  #commit(i: number): number {
    return (i << this.#shift) | this.#shift;
  }

  #add(
    a: number,
    b: number,
    leaves: 'begin' | 'commit',
    arrives: 'begin' | 'commit',
    rest: Omit<Link, 'from' | 'to'>,
  ): void {
    // Writers of a key that exclude each other: one commits before the other begins.
    const excludes = this.#contradiction.model.exclusive && this.#bothWrite(a, b);
    const from = excludes || leaves === 'commit' ? this.#commit(a) : this.#begin(a);
    const to = excludes || arrives === 'begin' ? this.#begin(b) : this.#commit(b);
    this.#links.push({ from, to, ...rest });
  }

  #given(a: number, b: number, leaves: 'begin' | 'commit', arrives: 'begin' | 'commit', reason: Reason): void {
    this.#add(a, b, leaves, arrives, { reason, path: null, read: -1, write: -1 });
  }

  #addGiven(): void {
    const { history, model, versions } = this.#contradiction;
    const { readStart, readVersion, writeStart } = versions;
    const between = model.exclusive || !model.split ? 'begin' : 'commit';
    this.#eachPair((a, b, t, u) => {
      if (model.sessions && history.txnSession[t] === history.txnSession[u] && t < u)
        this.#given(a, b, 'commit', 'begin', { kind: 'session' });
      this.#addTime(a, b, t as TransactionId, u as TransactionId);
      for (let read = readStart[u]; read < readStart[u + 1]; read++) {
        const version = readVersion[read];
        if (version < writeStart[t] || version >= writeStart[t + 1]) continue;
        const op = this.#certainRead(u, version);
        if (op >= 0) this.#given(a, b, 'commit', 'begin', { kind: 'read-from', read: op });
      }
    });
    if (versions.lists === null) return;
    const { longestRead } = versions.lists.versions;
    for (const [key, writers] of this.#writers)
      for (const a of writers)
        for (const b of writers)
          if (a !== b && isShownBefore(versions, this.#txns[a]!, this.#txns[b]!, key))
            this.#given(a, b, 'commit', between, { kind: 'version', read: longestRead[key]! });
  }

  #addTime(a: number, b: number, t: TransactionId, u: TransactionId): void {
    const { history, model } = this.#contradiction;
    if (model.time === 'none') return;
    const bounds = new TimeBounds(history);
    const isBefore = (latest: bigint, earliest: bigint): boolean =>
      latest !== NO_TIME && earliest !== NO_TIME && latest < earliest;
    const [end, commit] = [bounds.latestCommit(t), bounds.earliestCommit(u)];
    const reason: Reason = { kind: 'real-time' };
    // A single edge covers all edges that the verifier derives from these times.
    if (isBefore(end, bounds.earliestBegin(u)) && model.time !== 'commits')
      return this.#given(a, b, 'commit', 'begin', reason);
    if (model.time === 'returned') return;
    if (isBefore(end, commit)) return this.#given(a, b, 'commit', 'commit', reason);
    if (isBefore(bounds.latestBegin(t), commit)) this.#given(a, b, 'begin', 'commit', reason);
  }

  /** Adds possible consequences of paths, and returns the numbers of their links. */
  #derivable(): number[] {
    const { versions, model } = this.#contradiction;
    const { readStart, readVersion, writer } = versions;
    const numberOf = new Map(this.#txns.map((t, i) => [t, i]));
    const first = this.#links.length;
    for (const [r, reader] of this.#txns.entries()) {
      for (let slot = readStart[reader]; slot < readStart[reader + 1]; slot++) {
        const version = readVersion[slot];
        const w = version < writer.length ? numberOf.get(writer[version]) : null;
        const read = w === undefined ? -1 : this.#certainRead(reader, version);
        if (read < 0) continue;
        const key = this.#contradiction.keyOf(version);
        for (const u of this.#writers.get(key) ?? []) {
          if (u === r || u === w) continue;
          const write = this.#contradiction.writeOf(this.#txns[u]!, key);
          const order = w === null ? ([-1, -1] as const) : ([this.#commit(w!), this.#commit(u)] as const);
          this.#add(r, u, 'begin', 'commit', { reason: null, path: order, read, write });
          if (w === null) continue;
          const visible = [this.#commit(u), this.#begin(r)] as const;
          const arrives = model.exclusive || !model.split ? 'begin' : 'commit';
          this.#add(u, w!, 'commit', arrives, { reason: null, path: visible, read, write });
        }
      }
    }
    return Array.from({ length: this.#links.length - first }, (_, i) => first + i);
  }

  #edge(i: number, weight: Float64Array): Edge {
    const { from, to, reason, path, read, write } = this.#links[i]!;
    const [a, b] = [this.#txns[from >> this.#shift], this.#txns[to >> this.#shift]];
    if (reason !== null) return { from: a, to: b, reason };
    const [start, end] = path!;
    const isOverwrites =
      this.#contradiction.history.txnStart[a] <= read && read < this.#contradiction.history.txnStart[a + 1];
    if (!isOverwrites)
      return { from: a, to: b, reason: { kind: 'overwritten', read, write, visible: this.#path(start, end, weight) } };
    const order: Edge[] =
      start < 0 ? [{ from: -1, to: b, reason: { kind: 'initial' } }] : this.#path(start, end, weight);
    return { from: a, to: b, reason: { kind: 'overwrites', read, write, order } };
  }

  #path(from: number, to: number, weight: Float64Array): Edge[] {
    const n = this.#numEvents;
    const edges: Edge[] = [];
    for (let at = from; at !== to;) {
      const left = this.#size[at * n + to];
      if (this.#shift === 1 && (at & 1) === 0 && this.#size[(at + 1) * n + to] === left) {
        at++;
        continue;
      }
      let next = 0;
      while (weight[at * n + next] + this.#size[next * n + to] !== left) next++;
      edges.push(this.#edge(this.#direct[at * n + next], weight));
      at = next;
    }
    return edges;
  }

  /** Returns the operation of a read, unless the read is certain only because other candidates were dropped. */
  #certainRead(t: number, version: number): number {
    const contradiction = this.#contradiction;
    contradiction.narrowed.clear();
    const read = contradiction.readOf(t, version);
    return contradiction.narrowed.size > 0 ? -1 : read;
  }

  #eachPair(visit: (a: number, b: number, t: number, u: number) => void): void {
    for (const [a, t] of this.#txns.entries())
      for (const [b, u] of this.#txns.entries()) if (a !== b) visit(a, b, t, u);
  }

  #enterWrites(a: number): void {
    const { writeStart, writeKey } = this.#contradiction.versions;
    const t = this.#txns[a]!;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++) {
      const key = writeKey[write];
      const writers = this.#writers.get(key);
      if (writers === undefined) this.#writers.set(key, [a]);
      else {
        for (const b of writers)
          this.#writeOneKey[a * this.#txns.length + b] = this.#writeOneKey[b * this.#txns.length + a] = 1;
        writers.push(a);
      }
    }
  }

  #bothWrite(a: number, b: number): boolean {
    return this.#writeOneKey[a * this.#txns.length + b] === 1;
  }
}
