/** A growing column of integers. */
export class IntList {
  length = 0;
  #data = new Int32Array(16);

  push(value: number): void {
    if (this.length === this.#data.length) {
      const grown = new Int32Array(2 * this.length);
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data[this.length++] = value;
  }

  at(index: number): number {
    return this.#data[index];
  }

  set(index: number, value: number): void {
    this.#data[index] = value;
  }

  toArray(): Int32Array {
    return this.#data.slice(0, this.length);
  }
}
