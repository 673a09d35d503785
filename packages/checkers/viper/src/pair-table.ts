/** Numbers pairs of numbers in the order of their first lookup. */
export class PairTable {
  readonly first: number[] = [];
  readonly second: number[] = [];
  #slots = new Int32Array(1024); // number + 1, or 0

  get count(): number {
    return this.first.length;
  }

  number(first: number, second: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(first, second) & mask;
    for (let entry = this.#slots[slot]; entry !== 0; entry = this.#slots[slot]) {
      if (this.first[entry - 1] === first && this.second[entry - 1] === second) return entry - 1;
      slot = (slot + 1) & mask;
    }
    this.first.push(first);
    this.second.push(second);
    this.#slots[slot] = this.count;
    if (2 * this.count > this.#slots.length) this.#rehash();
    return this.count - 1;
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let i = 0; i < this.count; i++) {
      let slot = hash(this.first[i]!, this.second[i]!) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = i + 1;
    }
    this.#slots = slots;
  }
}

const hash = (a: number, b: number): number => {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
};
