import type { History } from '@isolab/history';
import type { Chains } from './chains.ts';
import type { Known } from './known.ts';
import type { Model } from './model.ts';
import type { Outcomes } from './outcomes.ts';
import { NOTHING_LEFT, type Reading, VISIBLE } from './reading.ts';
import { RealTime } from './real-time.ts';
import type { Versions } from './versions.ts';

/** Why one event must wait for another. */
export const Why = {
  /** Earlier in its chain, or its own begin. */
  Chain: 0,
  /** It reads what the other commits; `data` is the read. */
  ReadFrom: 1,
  /** It overwrites a version that the other has still to read; `data` is the version that it writes, `basis` the overwritten one. */
  Overwrite: 2,
  /** The other is writing a key that it writes, too; `data` is the version that it writes, `basis` the other's transaction. */
  Lock: 3,
  /** A choice that was made, or that follows from others; `data` is its variable. */
  Choice: 4,
  Time: 5,
  /** A fact of what is known; `data` is its number. */
  Fact: 6,
  /** Lists show that the other appended before; `data` is a read that shows it. */
  Version: 7,
  /** One of several versions that it may have seen, which the other commits; `data` is the read, `basis` the version. */
  Sees: 8,
  /** As Overwrite, where the version is one of several that the other may have seen. */
  Unseen: 9,
} as const;

/** What `blockerOf` returns if a read has no version left that it could see; `data` is the read. */
export const EXHAUSTED = -2;

/**
 * A replay of the history under way: a database that takes one transaction (or begin, or commit) after the other, and
 * only if every read sees the current version, and no version is overwritten while somebody still has to read it.
 *
 * Events are transactions, or for levels that split them begins (2t) and commits (2t + 1).
 */
export class Schedule {
  readonly versions: Versions;
  readonly model: Model;
  readonly shift: 0 | 1;
  readonly numEvents: number;
  /** How many events there are to place; more, once a transaction that may have happened is taken in. */
  toPlace: number;
  /** Where on the trail an event was placed; −1 for those that are not. */
  readonly position: Int32Array;
  readonly #previous: Int32Array;
  /** The version of each key that was committed last. */
  readonly current: Int32Array;
  readonly overwritten: Int32Array; // by version: the one that it took the place of
  readonly unread: Int32Array; // by version: how many of its readers are not placed
  readonly #cursor: Int32Array; // by version: readers before it are placed
  readonly holder: Int32Array; // by key: the transaction that is writing it, or −1; only if writers exclude each other
  readonly time: RealTime | null;
  readonly known: Known | null;
  /** The reads that choose between versions, if there are any, and the transactions that need not have happened. */
  reading: Reading | null = null;
  outcomes: Outcomes | null = null;
  placed = 0;
  // What `blockerOf` says of the event that it returned.
  why = 0;
  data = -1;
  basis = -1;

  constructor(history: History, versions: Versions, model: Model, chains: Chains, known: Known | null) {
    const { numTxns, numKeys, happened, readerStart, writeKey } = versions;
    this.versions = versions;
    this.model = model;
    this.shift = model.split ? 1 : 0;
    this.numEvents = numTxns << this.shift;
    this.toPlace = versions.numHappened << this.shift;
    this.position = new Int32Array(this.numEvents).fill(-1);
    this.#previous = chains.previous;
    this.known = known;
    const numVersions = writeKey.length + numKeys;
    this.current = Int32Array.from({ length: numKeys }, (_, key) => writeKey.length + key);
    this.overwritten = new Int32Array(writeKey.length);
    this.#cursor = readerStart.slice(0, numVersions);
    this.unread = new Int32Array(numVersions);
    for (let v = 0; v < numVersions; v++) this.unread[v] = readerStart[v + 1] - readerStart[v];
    this.holder = new Int32Array(model.exclusive ? numKeys : 0).fill(-1);
    this.time = model.time === 'none' ? null : new RealTime(history, happened, model, this.position);
  }

  /** The commit of a transaction, or the transaction. */
  commitOf(t: number): number {
    return (t << this.shift) | this.shift;
  }

  /** The event of a transaction that settles that it comes before what is not placed. */
  decider(t: number): number {
    return this.model.exclusive ? t << this.shift : (t << this.shift) | this.shift;
  }

  /** The event that must come right before this one in its chain, or −1. */
  before(event: number): number {
    if (this.shift === 0) return this.#previous[event];
    if (event & 1) return event - 1;
    const t = this.#previous[event >> 1];
    return t < 0 ? -1 : 2 * t + 1;
  }

  /**
   * An event that is not placed and for which this one must wait, −1 if it may be placed now, or EXHAUSTED. The event
   * before it in its chain is known to be placed; orders that were chosen are the caller's concern.
   */
  blockerOf(event: number): number {
    const { shift } = this;
    const t = event >> shift;
    const begins = shift === 0 || (event & 1) === 0;
    const commits = shift === 0 || !begins;
    if (begins) {
      const { readStart, readVersion, writer } = this.versions;
      const { position } = this;
      const numWritten = writer.length;
      for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
        const version = readVersion[read];
        if (version >= numWritten) continue;
        const commit = (writer[version] << shift) | shift;
        if (position[commit] < 0) return this.#blocked(commit, Why.ReadFrom, read, -1);
      }
    }
    if (this.outcomes !== null) {
      const other = begins ? this.outcomes.earlierThan(t, this.#isCommitted) : -1;
      if (other >= 0) return this.#blocked(this.commitOf(other), Why.Chain, -1, -1);
      const called = commits && shift === 1 ? this.outcomes.calledBefore(t, this.#isBegun) : -1;
      if (called >= 0) return this.#blocked(called << shift, Why.Time, -1, -1);
    }
    if (this.time !== null) {
      const earlier = this.time.blockerOf(event);
      if (earlier >= 0) return this.#blocked(earlier, Why.Time, -1, -1);
    }
    if (begins && this.reading !== null) {
      const other = this.#versionBlocker(this.reading, t);
      if (other !== -1) return other;
    }
    const { lists } = this.versions;
    if (lists !== null && (this.model.exclusive ? begins : commits)) {
      for (let i = lists.start[t], end = lists.start[t + 1]; i < end; i++) {
        const commit = (lists.from[i] << shift) | shift;
        if (this.position[commit] < 0) return this.#blocked(commit, Why.Version, lists.read[i], -1);
      }
    }
    if (this.known !== null && (this.model.exclusive ? begins : commits)) {
      const { factStart, factFrom } = this.known;
      for (let fact = factStart[t], end = factStart[t + 1]; fact < end; fact++) {
        const commit = (factFrom[fact] << shift) | shift;
        if (this.position[commit] < 0) return this.#blocked(commit, Why.Fact, fact, -1);
      }
    }
    if (begins && this.model.exclusive) {
      const { writeStart, writeKey } = this.versions;
      const holder = this.holder;
      for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
        const other = holder[writeKey[write]];
        if (other >= 0) return this.#blocked(this.commitOf(other), Why.Lock, write, other);
      }
    }
    if (commits) {
      const { writeStart, writeKey, updates } = this.versions;
      const { current } = this;
      const unread = this.unread;
      for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
        const version = current[writeKey[write]];
        const own = shift === 0 ? updates[write] : 0; // a transaction's own read does not hinder it
        if (unread[version] > own)
          return this.#blocked(this.#readerLeft(version, t) << shift, Why.Overwrite, write, version);
      }
      if (this.reading !== null) return this.#choosingReader(this.reading, t);
    }
    return -1;
  }

  #versionBlocker(reading: Reading, t: number): number {
    const { readStart } = reading.several;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
      const version = reading.wanted(read);
      if (version === VISIBLE) continue;
      if (version === NOTHING_LEFT) return this.#blocked(EXHAUSTED, Why.Sees, read, -1);
      return this.#blocked(this.commitOf(this.versions.writer[version]), Why.Sees, read, version);
    }
    return -1;
  }

  #choosingReader(reading: Reading, t: number): number {
    const { writeStart, writeKey } = this.versions;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
      const version = this.current[writeKey[write]];
      const read = reading.readerLeft(version, t);
      if (read >= 0) return this.#blocked(reading.several.reader[read] << this.shift, Why.Unseen, write, version);
    }
    return -1;
  }

  readonly #isCommitted = (t: number): boolean => this.position[this.commitOf(t)] >= 0;
  readonly #isBegun = (t: number): boolean => this.position[t << this.shift] >= 0;

  #blocked(by: number, why: number, data: number, basis: number): number {
    this.why = why;
    this.data = data;
    this.basis = basis;
    return by;
  }

  /** A transaction other than `t` that reads a version and is not placed. There is one. */
  #readerLeft(version: number, t: number): number {
    const { reader } = this.versions;
    const { position, shift } = this;
    let slot = this.#cursor[version];
    while (position[reader[slot] << shift] >= 0) slot++;
    this.#cursor[version] = slot;
    if (shift === 0) while (reader[slot] === t || position[reader[slot]] >= 0) slot++;
    return reader[slot];
  }

  place(event: number, at: number): void {
    const { shift } = this;
    const t = event >> shift;
    this.position[event] = at;
    this.placed++;
    const { readStart, readVersion, writeStart, writeKey } = this.versions;
    if (shift === 0 || (event & 1) === 0) {
      const unread = this.unread;
      for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) unread[readVersion[read]]--;
      if (this.model.exclusive) {
        const holder = this.holder;
        for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) holder[writeKey[write]] = t;
      }
      if (this.reading !== null) this.reading.begin(t);
    }
    if (shift === 0 || (event & 1) === 1) {
      const { current, overwritten } = this;
      for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
        const key = writeKey[write];
        overwritten[write] = current[key];
        current[key] = write;
      }
      if (this.reading !== null) this.reading.commit(t, at);
      if (this.model.exclusive) {
        const holder = this.holder;
        for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) holder[writeKey[write]] = -1;
      }
    }
  }

  /** Takes back the event that was placed last. */
  takeBack(event: number): void {
    const { shift } = this;
    const t = event >> shift;
    this.position[event] = -1;
    this.placed--;
    this.time?.remove(event);
    const { readStart, readVersion, readSlot, writeStart, writeKey } = this.versions;
    if (shift === 0 || (event & 1) === 0) {
      const unread = this.unread;
      const cursor = this.#cursor;
      for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
        const version = readVersion[read];
        unread[version]++;
        if (readSlot[read] < cursor[version]) cursor[version] = readSlot[read];
      }
      if (this.model.exclusive) {
        const holder = this.holder;
        for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) holder[writeKey[write]] = -1;
      }
      if (this.reading !== null) this.reading.takeBackBegin(t);
    }
    if (shift === 0 || (event & 1) === 1) {
      const { current, overwritten } = this;
      for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++)
        current[writeKey[write]] = overwritten[write];
      if (this.reading !== null) this.reading.takeBackCommit(t);
      if (this.model.exclusive) {
        const holder = this.holder;
        for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) holder[writeKey[write]] = t;
      }
    }
  }

  /** Whether what made an event wait still does, after something was taken back. */
  stillWaits(why: number, basis: number): boolean {
    if (why === Why.Overwrite || why === Why.Unseen)
      return basis >= this.versions.writer.length || this.position[this.commitOf(this.versions.writer[basis])] >= 0;
    if (why === Why.Lock) return this.position[basis << this.shift] >= 0;
    return why !== Why.Choice && why !== Why.Sees;
  }
}
