import { type History, OpKind, type ReadFromIndex, ReadFrom, countKeys } from '@isolab/history';

/** Versions with readers that are not placed. No transaction may overwrite them until these readers are. */
export class Unread {
  readonly #history: History;
  readonly #index: ReadFromIndex;
  readonly #readers: Int32Array; // by the operation that wrote a version, then by key for its initial version
  readonly #current: Int32Array; // by key, numbered in the same way
  readonly #happened: Uint8Array;

  constructor(history: History, index: ReadFromIndex, happened: Uint8Array) {
    const numOps = history.opKind.length;
    this.#history = history;
    this.#index = index;
    this.#happened = happened;
    this.#readers = new Int32Array(numOps + countKeys(history));
    this.#current = Int32Array.from({ length: countKeys(history) }, (_, key) => numOps + key);
    for (let t = 0; t < happened.length; t++) this.takeBackBegin(t);
  }

  begin(t: number): void {
    this.#count(t, -1);
  }

  takeBackBegin(t: number): void {
    this.#count(t, 1);
  }

  /** Returns whether another transaction still has to read a version that this transaction overwrites. */
  blocks(t: number, hasBegun: boolean): boolean {
    const { txnStart, opKind, opKey } = this.#history;
    if (!hasBegun) this.begin(t);
    let isBlocked = false;
    for (let op = txnStart[t]; op < txnStart[t + 1] && !isBlocked; op++)
      isBlocked = opKind[op] === OpKind.Write && this.#readers[this.#current[opKey[op]]] > 0;
    if (!hasBegun) this.takeBackBegin(t);
    return isBlocked;
  }

  /** Makes the versions of a transaction current, and appends the versions that they replace to `overwritten`. */
  commit(t: number, overwritten: number[]): void {
    const { txnStart, opKind, opKey } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      overwritten.push(opKey[op], this.#current[opKey[op]]);
      this.#current[opKey[op]] = op;
    }
  }

  takeBackCommit(overwritten: number[]): void {
    while (overwritten.length > 0) {
      const version = overwritten.pop()!;
      this.#current[overwritten.pop()!] = version;
    }
  }

  /** Optional transactions may never read. */
  #count(t: number, by: 1 | -1): void {
    if (this.#happened[t] !== 1) return;
    const { txnStart, opKind, opKey } = this.#history;
    const { readFrom } = this.#index;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Read) continue;
      const from = readFrom[op];
      if (from >= 0) this.#readers[from] += by;
      else if (from === ReadFrom.Initial) this.#readers[this.#history.opKind.length + opKey[op]] += by;
    }
  }
}
