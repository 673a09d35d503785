/** A growing list of 32-bit integers. */
export class IntList {
  #items = new Int32Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: number): void {
    if (this.#length === this.#items.length) {
      const grown = new Int32Array(2 * this.#length);
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#items[this.#length++] = item;
  }

  /** The items so far, as a view that the next push may leave behind. */
  view(): Int32Array {
    return this.#items.subarray(0, this.#length);
  }
}
