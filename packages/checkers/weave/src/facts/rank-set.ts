/**
 * A set of small numbers that finds its smallest element in a few steps: a bit per number, and above every 32 words of
 * bits a summary word.
 */
export class RankSet {
  readonly #levels: Uint32Array[] = [];

  constructor(size: number) {
    for (let words = (size + 31) >>> 5; ; words = (words + 31) >>> 5) {
      this.#levels.push(new Uint32Array(Math.max(words, 1)));
      if (words <= 1) break;
    }
  }

  add(rank: number): void {
    let at = rank;
    for (const words of this.#levels) {
      const word = at >>> 5;
      const before = words[word];
      words[word] = before | (1 << (at & 31));
      if (before !== 0) return;
      at = word;
    }
  }

  /** Removes and returns the smallest number, or returns −1. */
  takeFirst(): number {
    const levels = this.#levels;
    const top = levels.length - 1;
    if (levels[top][0] === 0) return -1;
    let at = 0;
    for (let level = top; level >= 0; level--) {
      const bits = levels[level][at];
      at = (at << 5) | (31 - Math.clz32(bits & -bits));
    }
    const rank = at;
    for (const words of levels) {
      const word = at >>> 5;
      words[word] &= ~(1 << (at & 31));
      if (words[word] !== 0) break;
      at = word;
    }
    return rank;
  }
}
