import type { CycleCertificate, Edge, Reason } from '@isolab/contract';
import { NO_TIME, TimeBounds, type TransactionId } from '@isolab/history';
import { isShownBefore } from '../problem/certain.ts';
import type { Contradiction } from './contradiction.ts';

/** An edge between two events: transactions, or their begins and commits. */
interface Link {
  readonly from: number;
  readonly to: number;
  /** Events between which a path implies the edge; null for a given edge. */
  readonly path: Path | null;
  reason(path: Edge[]): Reason;
}

type Path = readonly [from: number, to: number];

/** Path from the initial state. */
const FROM_INITIAL: Path = [-1, -1];

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
  /** Keys that each transaction writes, and places of the writers of each key. */
  readonly #keys: readonly ReadonlySet<number>[];
  readonly #writers = new Map<number, number[]>();
  // For each pair of events: size of the smallest link between them, and its number, or −1; and size of the smallest
  // path.
  readonly #weight: Float64Array;
  readonly #direct: Int32Array;
  readonly #size: Float64Array;

  constructor(contradiction: Contradiction, transactions: readonly number[]) {
    const { writeStart, writeKey } = contradiction.versions;
    this.#contradiction = contradiction;
    this.#txns = transactions;
    this.#shift = contradiction.model.split ? 1 : 0;
    this.#keys = transactions.map((t) => new Set(writeKey.subarray(writeStart[t], writeStart[t + 1])));
    for (const [a, keys] of this.#keys.entries())
      for (const key of keys) this.#writers.set(key, [...(this.#writers.get(key) ?? []), a]);
    const n = (this.#numEvents = transactions.length << this.#shift);
    this.#weight = new Float64Array(n ** 2).fill(Infinity);
    this.#direct = new Int32Array(n ** 2).fill(-1);
    this.#size = new Float64Array(n ** 2).fill(Infinity);
    for (let e = 0; e < n; e++) this.#size[e * n + e] = 0;
    if (this.#shift === 1) for (let e = 0; e < n; e += 2) this.#size[e * n + e + 1] = 0;
  }

  cycle(): CycleCertificate | null {
    this.#addGiven();
    const given = this.#links.length;
    this.#addDerivable();
    for (let i = 0; i < given; i++) this.#enter(i, 1);
    for (let changed = true; changed;) {
      this.#closePaths();
      changed = false;
      for (let i = given; i < this.#links.length; i++) {
        const path = this.#links[i]!.path!;
        if (this.#enter(i, 1 + (path === FROM_INITIAL ? 1 : this.#sizeOf(path)))) changed = true;
      }
    }
    let best = -1;
    let least = Infinity;
    for (const [i, { from, to }] of this.#links.entries()) {
      const at = from * this.#numEvents + to;
      if (this.#direct[at] !== i) continue;
      const total = this.#weight[at] + this.#sizeOf([to, from]);
      if (total < least) [best, least] = [i, total];
    }
    if (best < 0 || least > this.#contradiction.tuning.largestCycle) return null;
    const { from, to } = this.#links[best]!;
    return { kind: 'cycle', edges: [this.#edge(best), ...this.#pathOf([to, from])] };
  }

  #sizeOf([from, to]: Path): number {
    return this.#size[from * this.#numEvents + to];
  }

  /** Uses a link as the path between its events if it is smaller than any path so far. */
  #enter(i: number, size: number): boolean {
    const { from, to } = this.#links[i]!;
    const at = from * this.#numEvents + to;
    if (size >= this.#weight[at]) return false;
    this.#weight[at] = size;
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

  #begin(a: number): number {
    return a << this.#shift;
  }

  #commit(a: number): number {
    return (a << this.#shift) | this.#shift;
  }

  #add(a: number, b: number, leaves: Side, arrives: Side, path: Path | null, reason: Link['reason']): void {
    // Writers of a key that exclude each other: one commits before the other begins.
    const excludes = this.#contradiction.model.exclusive && [...this.#keys[a]!].some((key) => this.#keys[b]!.has(key));
    const from = excludes || leaves === 'commit' ? this.#commit(a) : this.#begin(a);
    const to = excludes || arrives === 'begin' ? this.#begin(b) : this.#commit(b);
    this.#links.push({ from, to, path, reason });
  }

  #addGiven(): void {
    const { history, model, versions } = this.#contradiction;
    const { readStart, readVersion, writeStart, lists } = versions;
    for (const [a, t] of this.#txns.entries())
      for (const [b, u] of this.#txns.entries()) {
        if (a === b) continue;
        if (model.sessions && history.txnSession[t] === history.txnSession[u] && t < u)
          this.#add(a, b, 'commit', 'begin', null, () => ({ kind: 'session' }));
        this.#addTime(a, b);
        for (let slot = readStart[u]; slot < readStart[u + 1]; slot++) {
          const version = readVersion[slot];
          if (version < writeStart[t] || version >= writeStart[t + 1]) continue;
          const read = this.#certainRead(u, version);
          if (read >= 0) this.#add(a, b, 'commit', 'begin', null, () => ({ kind: 'read-from', read }));
        }
      }
    if (lists === null) return;
    for (const [key, writers] of this.#writers)
      for (const a of writers)
        for (const b of writers)
          if (a !== b && isShownBefore(versions, this.#txns[a]!, this.#txns[b]!, key)) {
            const read = lists.versions.longestRead[key]!;
            this.#add(a, b, 'commit', this.#afterWriter, null, () => ({ kind: 'version', read }));
          }
  }

  /** Event of a writer that follows the commit of an earlier writer of the key. */
  get #afterWriter(): Side {
    const { exclusive, split } = this.#contradiction.model;
    return exclusive || !split ? 'begin' : 'commit';
  }

  #addTime(a: number, b: number): void {
    const { history, model } = this.#contradiction;
    if (model.time === 'none') return;
    const bounds = new TimeBounds(history);
    const [t, u] = [this.#txns[a] as TransactionId, this.#txns[b] as TransactionId];
    const isBefore = (latest: bigint, earliest: bigint): boolean =>
      latest !== NO_TIME && earliest !== NO_TIME && latest < earliest;
    const [end, commit] = [bounds.latestCommit(t), bounds.earliestCommit(u)];
    const add = (leaves: Side, arrives: Side): void =>
      this.#add(a, b, leaves, arrives, null, () => ({ kind: 'real-time' }));
    // A single edge covers all edges that the verifier derives from these times.
    if (isBefore(end, bounds.earliestBegin(u)) && model.time !== 'commits') return add('commit', 'begin');
    if (model.time === 'returned') return;
    if (isBefore(end, commit)) add('commit', 'commit');
    else if (isBefore(bounds.latestBegin(t), commit)) add('begin', 'commit');
  }

  /** Adds possible consequences of paths. */
  #addDerivable(): void {
    const contradiction = this.#contradiction;
    const { readStart, readVersion } = contradiction.versions;
    const placeOf = new Map(this.#txns.map((t, a) => [t, a]));
    for (const [r, reader] of this.#txns.entries()) {
      for (let slot = readStart[reader]; slot < readStart[reader + 1]; slot++) {
        const version = readVersion[slot];
        const writer = contradiction.writerOf(version);
        const w = writer < 0 ? null : placeOf.get(writer);
        const read = w === undefined ? -1 : this.#certainRead(reader, version);
        if (read < 0) continue;
        const key = contradiction.keyOf(version);
        for (const u of this.#writers.get(key) ?? []) {
          if (u === r || u === w) continue;
          const write = contradiction.writeOf(this.#txns[u]!, key);
          const order = w === null ? FROM_INITIAL : ([this.#commit(w!), this.#commit(u)] as const);
          this.#add(r, u, 'begin', 'commit', order, (path) => ({ kind: 'overwrites', read, write, order: path }));
          if (w === null) continue;
          const visible = [this.#commit(u), this.#begin(r)] as const;
          this.#add(u, w!, 'commit', this.#afterWriter, visible, (path) => ({
            kind: 'overwritten',
            read,
            write,
            visible: path,
          }));
        }
      }
    }
  }

  #edge(i: number): Edge {
    const { from, to, path, reason } = this.#links[i]!;
    const [a, b] = [this.#txns[from >> this.#shift]!, this.#txns[to >> this.#shift]!];
    const initial: Edge = { from: -1, to: b, reason: { kind: 'initial' } };
    return {
      from: a,
      to: b,
      reason: reason(path === null ? [] : path === FROM_INITIAL ? [initial] : this.#pathOf(path)),
    };
  }

  #pathOf([from, to]: Path): Edge[] {
    const n = this.#numEvents;
    const edges: Edge[] = [];
    for (let at = from; at !== to;) {
      const left = this.#size[at * n + to];
      if (this.#shift === 1 && (at & 1) === 0 && this.#size[(at + 1) * n + to] === left) {
        at++;
        continue;
      }
      let next = 0;
      while (this.#weight[at * n + next] + this.#size[next * n + to] !== left) next++;
      edges.push(this.#edge(this.#direct[at * n + next]));
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
}

type Side = 'begin' | 'commit';
