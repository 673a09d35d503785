import { grown } from './int-list.ts';

/**
 * The configurations that a search has visited (Lowe 2017): the linearized operations and the state. They are compared
 * exactly: two configurations with equal hashes remain distinct.
 * The set of linearized operations is a bitset in the order of calls. Its first words are all ones and its last words
 * all zeros, since only concurrent operations can be linearized out of that order. An entry keeps the words in between
 * and the number of words before them, so its length depends on the concurrency of the history, not on its length.
 * state · words left out at the beginning · words kept · words of optional operations · the words kept
 */
export class Memo {
  readonly #optionalWords: number;
  #arena = new Int32Array(1 << 12);
  #used = 0;
  #slots = new Int32Array(1 << 8); // offsets in the arena, plus 1
  #hashes = new Int32Array(1 << 8);
  size = 0;

  constructor(optionalWords: number) {
    this.#optionalWords = optionalWords;
  }

  /** Adds a configuration; returns false if it is already there. The kept words are those from `base` up to `top`. */
  add(state: number, words: Int32Array, base: number, top: number, optional: Int32Array): boolean {
    const kept = Math.max(0, top - base + 1);
    let hash = mix(mix(state | 0, base), kept);
    for (let i = 0; i < this.#optionalWords; i++) hash = mix(hash, optional[i]);
    for (let i = base; i <= top; i++) hash = mix(hash, words[i]);
    hash ^= hash >>> 15;

    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#hashes[slot] === hash && this.#equals(this.#slots[slot] - 1, state, words, base, kept, optional))
        return false;
    }
    this.#slots[slot] = this.#append(state, words, base, kept, optional) + 1;
    this.#hashes[slot] = hash;
    if (++this.size * 2 > this.#slots.length) this.#grow();
    return true;
  }

  #equals(at: number, state: number, words: Int32Array, base: number, kept: number, optional: Int32Array): boolean {
    const arena = this.#arena;
    if (arena[at] !== state || arena[at + 1] !== base || arena[at + 2] !== kept) return false;
    let from = at + HEADER;
    for (let i = 0; i < this.#optionalWords; i++) if (arena[from++] !== optional[i]) return false;
    for (let i = 0; i < kept; i++) if (arena[from++] !== words[base + i]) return false;
    return true;
  }

  #append(state: number, words: Int32Array, base: number, kept: number, optional: Int32Array): number {
    const at = this.#used;
    const end = at + HEADER + this.#optionalWords + kept;
    this.#arena = grown(this.#arena, end);
    const arena = this.#arena;
    arena[at] = state;
    arena[at + 1] = base;
    arena[at + 2] = kept;
    let to = at + HEADER;
    for (let i = 0; i < this.#optionalWords; i++) arena[to++] = optional[i];
    for (let i = 0; i < kept; i++) arena[to++] = words[base + i];
    this.#used = end;
    return at;
  }

  #grow(): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    this.#slots = new Int32Array(2 * slots.length);
    this.#hashes = new Int32Array(2 * slots.length);
    const mask = this.#slots.length - 1;
    for (let i = 0; i < slots.length; i++) {
      if (slots[i] === 0) continue;
      let slot = hashes[i] & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = slots[i];
      this.#hashes[slot] = hashes[i];
    }
  }
}

const HEADER = 3;

/** Mixes a word into a hash, as in MurmurHash. */
function mix(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  hash ^= Math.imul(k, 0x1b873593);
  hash = (hash << 13) | (hash >>> 19);
  return (Math.imul(hash, 5) + 0xe6546b64) | 0;
}
