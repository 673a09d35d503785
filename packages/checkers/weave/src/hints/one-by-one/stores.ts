import { type History, OpKind, UNKNOWN_VALUE, countKeys } from '@isolab/history';

/** Current state while transactions are placed one after the other. */
export interface Store {
  /** Number of reads that a transaction would miss if it began now. */
  misses(t: number): number;
  /** Returns the change of `misses` if a key changed its version; null if the misses must be computed again. */
  missesMore(t: number, key: number, before: number, after: number): number | null;
  /** Makes the writes of a transaction current. Appends key, old version and new version to `replaced`. */
  commit(t: number, replaced: number[]): void;
  takeBack(replaced: readonly number[]): void;
}

export class RegisterStore implements Store {
  readonly #history: History;
  readonly #value: Int32Array;

  constructor(history: History) {
    this.#history = history;
    this.#value = history.keyInitial.slice(0, countKeys(history));
  }

  misses(t: number): number {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    let misses = 0;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Read || opValue[op] === UNKNOWN_VALUE || opValue[op] === this.#value[opKey[op]])
        continue;
      let before = op - 1;
      while (before >= txnStart[t] && (opKind[before] !== OpKind.Write || opKey[before] !== opKey[op])) before--;
      if (before < txnStart[t]) misses++;
    }
    return misses;
  }

  missesMore(t: number, key: number, before: number, after: number): number {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    let more = 0;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKey[op] !== key) continue;
      if (opKind[op] === OpKind.Write) break;
      const x = opValue[op];
      if (x !== UNKNOWN_VALUE) more += (x !== after ? 1 : 0) - (x !== before ? 1 : 0);
    }
    return more;
  }

  commit(t: number, replaced: number[]): void {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      replaced.push(opKey[op], this.#value[opKey[op]], opValue[op]);
      this.#value[opKey[op]] = opValue[op];
    }
  }

  takeBack(replaced: readonly number[]): void {
    for (let i = replaced.length - 3; i >= 0; i -= 3) this.#value[replaced[i]!] = replaced[i + 1]!;
  }
}
