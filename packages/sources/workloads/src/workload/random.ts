/** Seeded random number generator (sfc32). Equal seeds give equal numbers on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;
  readonly #seed: string;

  constructor(seed: string | number) {
    this.#seed = String(seed);
    [this.#a, this.#b, this.#c] = scramble(this.#seed);
    for (let i = 0; i < 12; i++) this.#next();
  }

  /** Returns an independent generator, without a change to the numbers of this generator. */
  fork(label: string | number): Random {
    return new Random(`${this.#seed}/${label}`);
  }

  /** Returns a number of at least 0 and less than 1. */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** Returns a whole number of at least 0 and less than `bound`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** Returns a whole number of at least `low` and at most `high`. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Draws an item with a probability proportional to its weight. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    const total = items.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.fraction() * total;
    for (const [weight, item] of items) if ((left -= weight) < 0) return item;
    return items.at(-1)![1];
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

/** Returns three words that each depend on the whole text (FNV-1a with different offsets). */
function scramble(text: string): [number, number, number] {
  const words: [number, number, number] = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b];
  for (let i = 0; i < text.length; i++) {
    for (let w = 0; w < 3; w++) {
      words[w] = Math.imul(words[w]! ^ (text.charCodeAt(i) + 31 * w), 0x01000193);
      words[w]! ^= words[w]! >>> 13;
    }
  }
  return words;
}
