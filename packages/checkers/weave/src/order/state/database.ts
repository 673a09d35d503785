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
  /**
   * State of each key from KEY_STATE * key on: the version that was committed last, the number of its readers that have
   * not begun, and the transaction that is writing the key, or −1. A rule finds all of it in one line of the cache.
   */
  readonly keys: Int32Array;
  /** Version that each written version replaced. */
  readonly overwritten: Int32Array;
  readonly #cursor: Int32Array; // by version: all readers before this position have begun
  readonly #moved: number[] = []; // moves of cursors: the version, the cursor before, and the number of begins then
  #begun = 0;

  constructor(versions: Versions, model: Model) {
    const { numTxns, numKeys, readerStart, writeKey } = versions;
    const numVersions = writeKey.length + numKeys;
    this.versions = versions;
    this.model = model;
    this.shift = model.split ? 1 : 0;
    this.numEvents = numTxns << this.shift;
    this.position = new Int32Array(this.numEvents).fill(-1);
    this.keys = new Int32Array(KEY_STATE * numKeys);
    for (let key = 0; key < numKeys; key++) {
      const initial = writeKey.length + key;
      this.keys[KEY_STATE * key + CURRENT] = initial;
      this.keys[KEY_STATE * key + UNREAD] = readerStart[initial + 1] - readerStart[initial];
      this.keys[KEY_STATE * key + HOLDER] = -1;
    }
    this.overwritten = new Int32Array(writeKey.length);
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

  currentOf(key: number): number {
    return this.keys[KEY_STATE * key + CURRENT];
  }

  isVersionCommitted(version: number): boolean {
    const { writer } = this.versions;
    return version >= writer.length || this.isCommitted(writer[version]);
  }

  /** Returns a transaction other than `t` that reads a version and has not begun. Such a transaction must exist. */
  readerLeft(version: number, t: number): number {
    const { reader } = this.versions;
    const { position, shift } = this;
    const before = this.#cursor[version];
    let slot = before;
    while (position[reader[slot] << shift] >= 0) slot++;
    if (slot > before) this.#moved.push(version, before, this.#begun);
    this.#cursor[version] = slot;
    if (shift === 0) while (reader[slot] === t || position[reader[slot]] >= 0) slot++;
    return reader[slot];
  }

  /** Begins a transaction. All versions that it reads are current. */
  begin(t: number): void {
    const { readStart, readKey, writeStart, writeKey } = this.versions;
    const { keys } = this;
    this.#begun++;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++)
      keys[KEY_STATE * readKey[read] + UNREAD]--;
    if (this.model.exclusive)
      for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++)
        keys[KEY_STATE * writeKey[write] + HOLDER] = t;
  }

  /** Commits a transaction. All readers of the versions that it overwrites have begun. */
  commit(t: number): void {
    const { writeStart, writeKey, readerStart } = this.versions;
    const { keys, overwritten } = this;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
      const at = KEY_STATE * writeKey[write];
      overwritten[write] = keys[at + CURRENT];
      keys[at + CURRENT] = write;
      keys[at + UNREAD] = readerStart[write + 1] - readerStart[write];
      keys[at + HOLDER] = -1;
    }
  }

  takeBackBegin(t: number): void {
    const { readStart, readKey, writeStart, writeKey } = this.versions;
    const { keys } = this;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++)
      keys[KEY_STATE * readKey[read] + UNREAD]++;
    if (this.model.exclusive)
      for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++)
        keys[KEY_STATE * writeKey[write] + HOLDER] = -1;
    this.#begun--;
    const moved = this.#moved;
    for (let i = moved.length - 3; i >= 0 && moved[i + 2]! > this.#begun; i -= 3) {
      this.#cursor[moved[i]!] = moved[i + 1]!;
      moved.length = i;
    }
  }

  takeBackCommit(t: number): void {
    const { writeStart, writeKey } = this.versions;
    const { keys, overwritten } = this;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
      const at = KEY_STATE * writeKey[write];
      keys[at + CURRENT] = overwritten[write];
      keys[at + UNREAD] = 0;
      keys[at + HOLDER] = t;
    }
  }
}

/** Numbers per key in `keys`, and their places. */
export const KEY_STATE = 4;
export const CURRENT = 0;
export const UNREAD = 1;
export const HOLDER = 2;
