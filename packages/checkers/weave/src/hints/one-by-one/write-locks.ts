import { type History, OpKind, countKeys } from '@isolab/history';

/** Keys that begun transactions will write, where writers exclude each other. */
export class WriteLocks {
  readonly #history: History;
  readonly #isHeld: Uint8Array;

  constructor(history: History) {
    this.#history = history;
    this.#isHeld = new Uint8Array(countKeys(history));
  }

  excludes(t: number): boolean {
    const { txnStart, opKind, opKey } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if (opKind[op] === OpKind.Write && this.#isHeld[opKey[op]] === 1) return true;
    return false;
  }

  hold(t: number): void {
    this.#set(t, 1);
  }

  release(t: number): void {
    this.#set(t, 0);
  }

  #set(t: number, held: 0 | 1): void {
    const { txnStart, opKind, opKey } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if (opKind[op] === OpKind.Write) this.#isHeld[opKey[op]] = held;
  }
}
