/**
 * Finds keys in a part of a column that grows by one key at a time, such as the keys that one transaction has written so
 * far. Short parts are scanned, because a look-up by key would wait for memory.
 */
export class RecentKeys {
  readonly #column: Int32Array;
  readonly #numKeys: number;
  /** Set of the keys of the latest part, modulo 32. */
  #bits = 0;
  /** Place of each key that a long part may have. */
  #placeOf: Int32Array | null = null;

  constructor(column: Int32Array, numKeys: number) {
    this.#column = column;
    this.#numKeys = numKeys;
  }

  /** Returns the place of a key in the latest part, from `from` to `to`, or −1. */
  find(key: number, from: number, to: number): number {
    if (from === to || (this.#bits & (1 << key)) === 0) return -1;
    const column = this.#column;
    if (to - from > SCANNED) {
      const place = this.#placeOf![key];
      return place >= from && place < to && column[place] === key ? place : -1;
    }
    for (let place = from; place < to; place++) if (column[place] === key) return place;
    return -1;
  }

  /** Appends a key at `to` to the part that begins at `from`. */
  put(key: number, from: number, to: number): void {
    this.#column[to] = key;
    this.#bits = (from === to ? 0 : this.#bits) | (1 << key);
    if (to - from < SCANNED) return;
    this.#placeOf ??= new Int32Array(this.#numKeys);
    for (let place = to - from === SCANNED ? from : to; place <= to; place++)
      this.#placeOf[this.#column[place]] = place;
  }
}

/** Length up to which a part is scanned. */
const SCANNED = 32;
