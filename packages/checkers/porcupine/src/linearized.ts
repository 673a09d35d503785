import type { Operations } from './operations.ts';
import type { Partition } from './partitions.ts';

/** Bit set of the entries that took effect, by call. Optional entries are kept apart, so that the window can move. */
export class Linearized {
  readonly words: Int32Array;
  readonly optional: Int32Array;
  /** The first word that is not all ones. */
  base = 0;
  /** The last word that is not all zeros. */
  top = -1;
  readonly numMandatory: number;
  readonly #bit: Int32Array;
  readonly #isOptional: Uint8Array;

  constructor({ operation }: Partition, { isOptional }: Operations) {
    let numMandatory = 0;
    let numOptional = 0;
    this.#isOptional = Uint8Array.from(operation, (i) => isOptional[i]);
    this.#bit = operation.map((i) => (isOptional[i] === 1 ? numOptional++ : numMandatory++));
    this.numMandatory = numMandatory;
    this.words = new Int32Array((numMandatory >>> 5) + 2);
    this.optional = new Int32Array((numOptional + 31) >>> 5);
  }

  add(entry: number): void {
    const { words } = this;
    const word = this.#bit[entry] >>> 5;
    const mask = 1 << (this.#bit[entry] & 31);
    if (this.#isOptional[entry] === 1) {
      this.optional[word] |= mask;
      return;
    }
    words[word] |= mask;
    if (word > this.top) this.top = word;
    while (words[this.base] === -1) this.base++;
  }

  remove(entry: number): void {
    const { words } = this;
    const word = this.#bit[entry] >>> 5;
    const mask = 1 << (this.#bit[entry] & 31);
    if (this.#isOptional[entry] === 1) {
      this.optional[word] &= ~mask;
      return;
    }
    words[word] &= ~mask;
    if (word < this.base) this.base = word;
    while (this.top >= 0 && words[this.top] === 0) this.top--;
  }
}
