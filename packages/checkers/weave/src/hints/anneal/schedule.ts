import { type Rows, rowsBy } from '@isolab/graph';
import type { Versions } from '../../problem/versions.ts';
import { accessesOf } from './accesses.ts';

/**
 * Transactions at places on a line, as if each ran in one instant. A read *misses* if it would not see there the
 * version that it saw in the history. An order in which no read misses is serial. At snapshot levels, few reads miss in
 * the best orders.
 * The use of a key by a transaction is an *access*: a read, a write, or a read before a write. The accesses of a key
 * are linked in the order of their places, between a head that represents the initial state and an end that all keys
 * share.
 */
export class Schedule {
  readonly numTxns: number;
  readonly numReads: number;
  readonly place: Float64Array;
  readonly txn: Int32Array;
  /** Accesses, grouped by the value that they write. */
  readonly writersOf: Rows;
  misses = 0;
  /** Number of links followed to find the places of accesses. */
  followed = 0;
  readonly #accessStart: Int32Array; // by transaction, with one extra slot
  readonly #end: number;
  readonly #links: Int32Array; // fields of each access and head and of the end, interleaved: see the constants below
  readonly #at: Float64Array; // by access, head and end: its place
  readonly #missed: Int32Array; // accesses whose reads miss
  readonly #missedAt: Int32Array; // by access: index in `#missed`, or −1
  readonly #after: Int32Array; // by access of the transaction to be moved: the access that it would follow

  constructor(versions: Versions, order: Int32Array) {
    const { accessStart, txn, key, reads, writes, initial, numValues } = accessesOf(versions);
    const numAccesses = txn.length;
    this.numTxns = versions.numTxns;
    this.txn = txn;
    this.numReads = reads.reduce((count, value) => (value < 0 ? count : count + 1), 0);
    this.#accessStart = accessStart;
    this.writersOf = rowsBy(writes, numValues);
    this.#end = numAccesses + initial.length;
    this.#links = new Int32Array((this.#end + 1) * STRIDE).fill(-1);
    this.#at = new Float64Array(this.#end + 1).fill(-Infinity);
    this.#at[this.#end] = Infinity;
    this.#links[this.#end * STRIDE + WRITES] = numValues;
    for (let a = 0; a < numAccesses; a++) {
      this.#links[a * STRIDE + READS] = reads[a];
      this.#links[a * STRIDE + WRITES] = writes[a];
    }
    for (let k = 0; k < initial.length; k++) this.#links[(numAccesses + k) * STRIDE + WRITES] = initial[k];
    this.place = new Float64Array(this.numTxns);
    this.#missed = new Int32Array(numAccesses);
    this.#missedAt = new Int32Array(numAccesses).fill(-1);
    this.#after = new Int32Array(initial.length);
    this.#link(order, key);
    for (let a = 0; a < numAccesses; a++) this.#judge(a);
  }

  get numAccesses(): number {
    return this.txn.length;
  }

  #link(order: Int32Array, key: Int32Array): void {
    const links = this.#links;
    const last = Int32Array.from({ length: this.#end - key.length }, (_, k) => key.length + k);
    for (let rank = 0; rank < order.length; rank++) {
      const t = order[rank];
      this.place[t] = rank;
      for (let a = this.#accessStart[t]; a < this.#accessStart[t + 1]; a++) {
        this.#at[a] = rank;
        links[a * STRIDE + PREVIOUS] = last[key[a]];
        links[last[key[a]] * STRIDE + NEXT] = a;
        last[key[a]] = a;
      }
    }
    for (const a of last) links[a * STRIDE + NEXT] = this.#end;
  }

  /** Returns the read that misses at this index. */
  missed(number: number): number {
    return this.#missed[number];
  }

  reads(access: number): number {
    return this.#links[access * STRIDE + READS];
  }

  /** Returns the place of an access: −Infinity for the head of its key, Infinity for the end. */
  at(access: number): number {
    return this.#at[access];
  }

  isAccess(access: number): boolean {
    return access < this.txn.length;
  }

  previous(access: number): number {
    return this.#links[access * STRIDE + PREVIOUS];
  }

  next(access: number): number {
    return this.#links[access * STRIDE + NEXT];
  }

  /** Returns the last access of the key at or before a place, or the head, searched from any later access. */
  before(access: number, place: number): number {
    let a = access;
    while (this.#at[a] > place) a = this.#links[a * STRIDE + PREVIOUS];
    return a;
  }

  valueAfter(access: number): number {
    return this.#links[this.#writeAt(access, -1) * STRIDE + WRITES];
  }

  writes(access: number): number {
    return this.#links[access * STRIDE + WRITES];
  }

  /** Returns the last write before an access, or the head. */
  writeBefore(access: number): number {
    return this.#writeAt(this.#links[access * STRIDE + PREVIOUS], -1);
  }

  /** Returns the first write after an access, or the end. */
  writeAfter(access: number): number {
    const links = this.#links;
    let a = links[access * STRIDE + NEXT];
    while (links[a * STRIDE + WRITES] < 0) a = links[a * STRIDE + NEXT];
    return a;
  }

  #writeAt(access: number, except: number): number {
    const links = this.#links;
    let a = access;
    while (links[a * STRIDE + WRITES] < 0 || a === except) a = links[a * STRIDE + PREVIOUS];
    return a;
  }

  /** Returns the number of additional misses if a transaction were at another place. */
  change(t: number, place: number): number {
    const links = this.#links;
    const from = this.place[t];
    let more = 0;
    for (let a = this.#accessStart[t], i = 0; a < this.#accessStart[t + 1]; a++, i++) {
      const previous = links[a * STRIDE + PREVIOUS];
      const follows = this.#follows(a, from, place);
      this.#after[i] = follows;
      if (follows !== previous) more += this.#moreAt(a, previous, follows);
    }
    return more;
  }

  /** Returns the number of additional misses if an access that now follows `previous` followed another access. */
  #moreAt(access: number, previous: number, follows: number): number {
    const links = this.#links;
    const reads = links[access * STRIDE + READS];
    const writes = links[access * STRIDE + WRITES];
    const seen = links[this.#writeAt(previous, -1) * STRIDE + WRITES];
    const wouldSee = links[this.#writeAt(follows, access) * STRIDE + WRITES];
    let more = 0;
    if (reads >= 0) more += (reads === wouldSee ? 0 : 1) - (reads === seen ? 0 : 1);
    if (writes < 0) return more;
    if (writes !== seen) more += this.#moreMisses(links[access * STRIDE + NEXT], access, writes, seen);
    if (writes !== wouldSee) more += this.#moreMisses(links[follows * STRIDE + NEXT], access, wouldSee, writes);
    return more;
  }

  /** Returns the access that this access would follow at a place. */
  #follows(access: number, from: number, place: number): number {
    const links = this.#links;
    let a = links[access * STRIDE + PREVIOUS];
    if (place < from) {
      for (; this.#at[a] > place; a = links[a * STRIDE + PREVIOUS]) this.followed++;
      return a;
    }
    for (let after = links[access * STRIDE + NEXT]; this.#at[after] < place; after = links[after * STRIDE + NEXT]) {
      this.followed++;
      a = after;
    }
    return a;
  }

  /** Returns the number of additional misses from an access up to the next write if these reads saw another value. */
  #moreMisses(from: number, except: number, seen: number, wouldSee: number): number {
    const links = this.#links;
    let more = 0;
    for (let a = from; ; a = links[a * STRIDE + NEXT]) {
      if (a === except) continue;
      if (links[a * STRIDE + READS] === seen) more++;
      else if (links[a * STRIDE + READS] === wouldSee) more--;
      if (links[a * STRIDE + WRITES] >= 0) return more;
    }
  }

  /** Moves a transaction to the place that was last passed to `change`. */
  move(t: number, place: number): void {
    const links = this.#links;
    this.place[t] = place;
    for (let a = this.#accessStart[t], i = 0; a < this.#accessStart[t + 1]; a++, i++) {
      this.#at[a] = place;
      const follows = this.#after[i];
      const previous = links[a * STRIDE + PREVIOUS];
      if (follows === previous) continue;
      const next = links[a * STRIDE + NEXT];
      links[previous * STRIDE + NEXT] = next;
      links[next * STRIDE + PREVIOUS] = previous;
      const isWrite = links[a * STRIDE + WRITES] >= 0;
      if (isWrite) this.#judgeFrom(next);
      const behind = links[follows * STRIDE + NEXT];
      links[a * STRIDE + PREVIOUS] = follows;
      links[follows * STRIDE + NEXT] = a;
      links[a * STRIDE + NEXT] = behind;
      links[behind * STRIDE + PREVIOUS] = a;
      this.#judge(a);
      if (isWrite) this.#judgeFrom(behind);
    }
  }

  /** Updates which reads miss, from an access up to the next write. */
  #judgeFrom(access: number): void {
    let a = access;
    for (; this.#links[a * STRIDE + WRITES] < 0; a = this.#links[a * STRIDE + NEXT]) this.#judge(a);
    if (a !== this.#end) this.#judge(a);
  }

  #judge(access: number): void {
    const reads = this.#links[access * STRIDE + READS];
    if (reads >= 0) this.#note(access, reads !== this.#links[this.writeBefore(access) * STRIDE + WRITES]);
  }

  #note(access: number, misses: boolean): void {
    const missed = this.#missed;
    const missedAt = this.#missedAt;
    const at = missedAt[access];
    if (misses === at >= 0) return;
    if (misses) {
      missedAt[access] = this.misses;
      missed[this.misses++] = access;
      return;
    }
    const last = missed[--this.misses];
    missed[at] = last;
    missedAt[last] = at;
    missedAt[access] = -1;
  }

  /** Returns the transactions in the order of their places. */
  order(): Int32Array {
    return Int32Array.from(this.place.keys()).toSorted((a, b) => this.place[a] - this.place[b]);
  }

  spread(): void {
    this.order().forEach((t, rank) => {
      this.place[t] = rank;
      this.#at.fill(rank, this.#accessStart[t], this.#accessStart[t + 1]);
    });
  }
}

/** Number of fields of each access in `links`, which are adjacent in memory. */
const STRIDE = 4;
const PREVIOUS = 0;
const NEXT = 1;
const READS = 2;
const WRITES = 3;
