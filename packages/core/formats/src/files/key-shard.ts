import type { Atom, Shard } from '@isolab/history';

/** Decides which keys belong to a shard: those whose hash is `index` − 1 modulo `of`, the same on every machine. */
export class KeyShard {
  readonly #rest: number;
  readonly #of: number;

  constructor({ index, of }: Shard) {
    this.#rest = index - 1;
    this.#of = of;
  }

  /** Returns whether the signed 64-bit integer with these halves is a key of the shard. */
  hasInteger(high: number, low: number): boolean {
    let hash = Math.imul(low ^ Math.imul(high, 0x85eb_ca6b), 0x9e37_79b1);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
    return ((hash ^ (hash >>> 12)) >>> 0) % this.#of === this.#rest;
  }

  hasAtom(key: Atom): boolean {
    if (typeof key === 'bigint' && BigInt.asIntN(64, key) === key)
      return this.hasInteger(Number(key >> 32n), Number(BigInt.asIntN(32, key)));
    const text = key === null ? '' : typeof key === 'object' ? key.text : String(key);
    let hash = 0;
    for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
    return this.hasInteger(0, hash);
  }
}
