/** A set of consecutive transaction numbers, with one bit per number. */
export class NumberSet {
  readonly #pages = new Map<number, Uint32Array>();

  add(number: number): void {
    const page = Math.floor(number / BITS_OF_PAGE);
    let bits = this.#pages.get(page);
    if (!bits) this.#pages.set(page, (bits = new Uint32Array(BITS_OF_PAGE / 32)));
    const bit = number % BITS_OF_PAGE;
    bits[bit >>> 5]! |= 1 << (bit & 31);
  }

  has(number: number): boolean {
    const bits = this.#pages.get(Math.floor(number / BITS_OF_PAGE));
    const bit = number % BITS_OF_PAGE;
    return bits !== undefined && (bits[bit >>> 5]! & (1 << (bit & 31))) !== 0;
  }
}

const BITS_OF_PAGE = 1 << 15;

/**
 * A set of pairs of texts, stored as 64-bit hashes. With a hundred million pairs, an absent pair is treated as present
 * with a probability of 1 in 10^11.
 */
export class PairSet {
  /** Two words per hash; both are zero in a free slot. */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  #count = 0;

  add(first: string, second: string): void {
    if (3 * this.#count > this.#slots.length) this.#grow();
    const [low, high] = hashOf(first, second);
    const slot = slotOf(this.#slots, low, high);
    if (this.#slots[slot] === low && this.#slots[slot + 1] === high) return;
    this.#slots[slot] = low;
    this.#slots[slot + 1] = high;
    this.#count++;
  }

  has(first: string, second: string): boolean {
    const [low, high] = hashOf(first, second);
    const slot = slotOf(this.#slots, low, high);
    return this.#slots[slot] === low && this.#slots[slot + 1] === high;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let i = 0; i < old.length; i += 2) {
      const [low, high] = [old[i]!, old[i + 1]!];
      if (low === 0 && high === 0) continue;
      const slot = slotOf(this.#slots, low, high);
      this.#slots[slot] = low;
      this.#slots[slot + 1] = high;
    }
  }
}

const FIRST_SLOTS = 1 << 10;

/** Finds the slot of a hash, or the free slot for it. */
function slotOf(slots: Uint32Array, low: number, high: number): number {
  const mask = slots.length / 2 - 1;
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
    const at = 2 * slot;
    if ((slots[at] === low && slots[at + 1] === high) || (slots[at] === 0 && slots[at + 1] === 0)) return at;
  }
}

/** Returns two words that are not both zero (cyrb53 by bryc, in the public domain, without the cut at 53 bits). */
function hashOf(first: string, second: string): readonly [number, number] {
  let a = 0xdeadbeef ^ first.length;
  let b = 0x41c6ce57 ^ second.length;
  for (const text of [first, second])
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 2_654_435_761);
      b = Math.imul(b ^ code, 1_597_334_677);
    }
  const mixedA = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  const mixedB = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return [mixedA >>> 0 || 1, mixedB >>> 0];
}
