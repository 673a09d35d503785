import { type Steps, isSplit } from './steps.ts';
import { initialVersion } from './versions.ts';

/**
 * A prefix of a history: a set of steps that contains all predecessors of its members, represented by its boundary, the
 * number of steps of each session (paper, section 4.1). It only grows by valid extensions: steps that read nothing from
 * outside and overwrite nothing that a step outside reads. For this purpose, as in the published tool, it stores for
 * each key its current version (the "active write"), and for each version the number of its readers outside.
 * At snapshot isolation a key is *taken* between Rₜ and Wₜ of a transaction that writes it, which models the fresh
 * variables of section 4.3: Rₜ cannot be executed while another transaction has taken one of its keys.
 */
export class Prefix {
  readonly steps: Steps;
  /** The boundary: number of executed steps of each session. */
  readonly boundary: Int32Array;
  /** Hash of the set of steps, by Zobrist's method, which does not depend on their order. */
  hash = 0;

  readonly #split: boolean;
  readonly #exclusive: boolean;
  readonly #waitsFor: Int32Array; // by step: number of steps in other sessions that it waits for
  readonly #outside: Int32Array; // by version: number of readers outside the prefix
  readonly #held: Int32Array; // by key: its version
  readonly #replaced: Int32Array; // by version in the prefix: the previous version of its key
  readonly #unwritten: Int32Array; // by key: number of writers outside the prefix
  readonly #taken: Uint8Array; // by key

  constructor(steps: Steps) {
    const { versions } = steps;
    this.steps = steps;
    this.boundary = new Int32Array(steps.numSessions);
    this.#split = isSplit(steps.level);
    this.#exclusive = steps.level === 'snapshot-isolation';
    this.#waitsFor = steps.waitsFor.slice();
    this.#outside = versions.numReaders.slice();
    this.#held = new Int32Array(versions.numKeys);
    for (let key = 0; key < versions.numKeys; key++) this.#held[key] = initialVersion(versions, key);
    this.#replaced = new Int32Array(versions.numWritten);
    this.#unwritten = versions.numWriters.slice();
    this.#taken = new Uint8Array(versions.numKeys);
  }

  /** The session's next step, or −1 at its end. */
  next(session: number): number {
    const step = this.steps.first[session] + this.boundary[session];
    return step < this.steps.first[session + 1] ? step : -1;
  }

  /** Returns whether this step, the next step of its session, may extend the prefix: ▷ in the paper. */
  allows(step: number): boolean {
    if (this.#waitsFor[step] > 0) return false;
    if (this.#split && step % 2 === 0) return !this.#exclusive || !this.#isTaken(step >> 1);
    const { written, keyOf, isUpdate } = this.steps.versions;
    const held = this.#held;
    const outside = this.#outside;
    const node = this.#split ? step >> 1 : step;
    for (let i = written.start[node], end = written.start[node + 1]; i < end; i++) {
      const w = written.item[i];
      // If reads and writes are one step, the step itself is among the readers of the versions that it updates.
      const own = this.#split ? 0 : isUpdate[w];
      if (outside[held[keyOf[w]]] > own) return false;
    }
    return true;
  }

  #isTaken(node: number): boolean {
    const { written, keyOf } = this.steps.versions;
    for (let i = written.start[node], end = written.start[node + 1]; i < end; i++)
      if (this.#taken[keyOf[written.item[i]]] === 1) return true;
    return false;
  }

  /**
   * Returns whether a permitted step is always safe to execute next: if some order of the rest is correct, then so is
   * the order in which the step is moved to the front. A step is safe if none of the steps α that could come before it
   * concerns its keys:
   * - Readers of the versions that the step replaces are inside already, and readers of its own versions come after it.
   * No step overwrites its versions before it has read them. So only other writers of its keys matter, or at snapshot
   * isolation the steps that take its keys.
   * - A step that only reads, and takes nothing, has no such keys. The Wₜ of a transaction that has taken its keys has
   * no such rivals.
   * - A key that the step also reads cannot be written in α. (This excludes Wₜ at prefix, whose Rₜ is executed.)
   * - Nor can a key whose writers outside are all later in the step's session.
   */
  isSafe(step: number): boolean {
    const split = this.#split;
    if (split && (step % 2 === 0) !== this.#exclusive) return true;
    const { written, keyOf, isUpdate, later } = this.steps.versions;
    const updatesCount = !split || this.#exclusive;
    const unwritten = this.#unwritten;
    const node = split ? step >> 1 : step;
    for (let i = written.start[node], end = written.start[node + 1]; i < end; i++) {
      const w = written.item[i];
      if (unwritten[keyOf[w]] === 1 + later[w] || (updatesCount && isUpdate[w] === 1)) continue;
      return false;
    }
    return true;
  }

  execute(step: number): void {
    const node = this.#split ? step >> 1 : step;
    if (!this.#split || step % 2 === 0) this.#read(node, -1);
    if (!this.#split || step % 2 === 1) this.#write(node);
    const { start, target } = this.steps.followers;
    for (let i = start[step], end = start[step + 1]; i < end; i++) this.#waitsFor[target[i]]--;
    this.boundary[this.steps.sessionOf[step]]++;
    this.hash ^= zobrist(step);
  }

  undo(step: number): void {
    this.hash ^= zobrist(step);
    this.boundary[this.steps.sessionOf[step]]--;
    const { start, target } = this.steps.followers;
    for (let i = start[step], end = start[step + 1]; i < end; i++) this.#waitsFor[target[i]]++;
    const node = this.#split ? step >> 1 : step;
    if (!this.#split || step % 2 === 1) this.#unwrite(node);
    if (!this.#split || step % 2 === 0) this.#read(node, 1);
  }

  #read(node: number, change: 1 | -1): void {
    const { read } = this.steps.versions;
    for (let i = read.start[node], end = read.start[node + 1]; i < end; i++) this.#outside[read.item[i]] += change;
    if (this.#exclusive) this.#take(node, change < 0 ? 1 : 0);
  }

  #take(node: number, taken: 0 | 1): void {
    const { written, keyOf } = this.steps.versions;
    for (let i = written.start[node], end = written.start[node + 1]; i < end; i++)
      this.#taken[keyOf[written.item[i]]] = taken;
  }

  #write(node: number): void {
    const { written, keyOf } = this.steps.versions;
    for (let i = written.start[node], end = written.start[node + 1]; i < end; i++) {
      const w = written.item[i];
      const key = keyOf[w];
      this.#replaced[w] = this.#held[key];
      this.#held[key] = w;
      this.#unwritten[key]--;
    }
    if (this.#exclusive) this.#take(node, 0);
  }

  #unwrite(node: number): void {
    const { written, keyOf } = this.steps.versions;
    for (let i = written.start[node], end = written.start[node + 1]; i < end; i++) {
      const w = written.item[i];
      const key = keyOf[w];
      this.#held[key] = this.#replaced[w];
      this.#unwritten[key]++;
    }
    if (this.#exclusive) this.#take(node, 1);
  }
}

/** A pseudorandom number for each step (the finalizer of MurmurHash3). */
function zobrist(step: number): number {
  let x = step + 0x9e3779b9;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}
