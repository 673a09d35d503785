import type { Model } from '../../problem/model.ts';
import type { Versions } from '../../problem/versions.ts';

/**
 * The store under replay: transactions (or begins and commits) are placed one after another, and each key has the
 * version that was committed last. Rules decide which events may be placed.
 * Events are transactions, or, at levels that split transactions, begins (2t) and commits (2t + 1).
 */
export class Database {
  readonly versions: Versions;
  readonly model: Model;
  readonly shift: 0 | 1;
  readonly numEvents: number;
  /** Place of each event on the trail, or −1. */
  readonly position: Int32Array;
  readonly current: Int32Array;
  readonly overwritten: Int32Array;
  /** Number of readers of each version that have not begun. */
  readonly unread: Int32Array;
  /** Transaction that is writing each key, or −1; empty unless writers exclude each other. */
  readonly holder: Int32Array;
  readonly #cursor: Int32Array; // by version: all readers before this position have begun

  constructor(versions: Versions, model: Model) {
    const { numTxns, numKeys, readerStart, writeKey } = versions;
    const numVersions = writeKey.length + numKeys;
    this.versions = versions;
    this.model = model;
    this.shift = model.split ? 1 : 0;
    this.numEvents = numTxns << this.shift;
    this.position = new Int32Array(this.numEvents).fill(-1);
    this.current = Int32Array.from({ length: numKeys }, (_, key) => writeKey.length + key);
    this.overwritten = new Int32Array(writeKey.length);
    this.unread = new Int32Array(numVersions);
    for (let v = 0; v < numVersions; v++) this.unread[v] = readerStart[v + 1] - readerStart[v];
    this.holder = new Int32Array(model.exclusive ? numKeys : 0).fill(-1);
    this.#cursor = readerStart.slice(0, numVersions);
  }

  /** Returns the commit of a transaction, or the transaction itself at levels that do not split it. */
  commitOf(t: number): number {
    return (t << this.shift) | this.shift;
  }

  /** Returns the event that, once placed, orders a transaction before all unplaced writers. */
  decider(t: number): number {
    return this.model.exclusive ? t << this.shift : (t << this.shift) | this.shift;
  }

  isBegin(event: number): boolean {
    return this.shift === 0 || (event & 1) === 0;
  }

  isCommit(event: number): boolean {
    return this.shift === 0 || (event & 1) === 1;
  }

  isBegun(t: number): boolean {
    return this.position[t << this.shift] >= 0;
  }

  isCommitted(t: number): boolean {
    return this.position[(t << this.shift) | this.shift] >= 0;
  }

  isVersionCommitted(version: number): boolean {
    const { writer } = this.versions;
    return version >= writer.length || this.isCommitted(writer[version]);
  }

  /** Returns a transaction other than `t` that reads a version and has not begun. Such a transaction must exist. */
  readerLeft(version: number, t: number): number {
    const { reader } = this.versions;
    const { position, shift } = this;
    let slot = this.#cursor[version];
    while (position[reader[slot] << shift] >= 0) slot++;
    this.#cursor[version] = slot;
    if (shift === 0) while (reader[slot] === t || position[reader[slot]] >= 0) slot++;
    return reader[slot];
  }

  begin(t: number): void {
    const { readStart, readVersion, writeStart, writeKey } = this.versions;
    const { unread, holder } = this;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) unread[readVersion[read]]--;
    if (this.model.exclusive)
      for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) holder[writeKey[write]] = t;
  }

  commit(t: number): void {
    const { writeStart, writeKey } = this.versions;
    const { current, overwritten, holder } = this;
    const { exclusive } = this.model;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
      const key = writeKey[write];
      overwritten[write] = current[key];
      current[key] = write;
      if (exclusive) holder[key] = -1;
    }
  }

  takeBackBegin(t: number): void {
    const { readStart, readVersion, readSlot, writeStart, writeKey } = this.versions;
    const { unread, holder } = this;
    const cursor = this.#cursor;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
      const version = readVersion[read];
      unread[version]++;
      if (readSlot[read] < cursor[version]) cursor[version] = readSlot[read];
    }
    if (this.model.exclusive)
      for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) holder[writeKey[write]] = -1;
  }

  takeBackCommit(t: number): void {
    const { writeStart, writeKey } = this.versions;
    const { current, overwritten, holder } = this;
    const { exclusive } = this.model;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
      current[writeKey[write]] = overwritten[write];
      if (exclusive) holder[writeKey[write]] = t;
    }
  }
}
