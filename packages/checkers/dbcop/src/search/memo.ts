import { Stop } from '@isolab/contract';

const BLOCK = 1 << 12; // prefixes per block

/** Prefixes known to fail: hash and boundary in one column, found by an open hash table and compared exactly. */
export class Memo {
  size = 0;
  readonly #width: number;
  readonly #maxBytes: number;
  readonly #blocks: Int32Array[] = [];
  #table = new Int32Array(1 << 10);

  constructor(numSessions: number, maxBytes: number) {
    this.#width = numSessions + 1;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return 4 * (this.#blocks.length * BLOCK * this.#width + this.#table.length);
  }

  has(boundary: Int32Array, hash: number): boolean {
    return this.#table[this.#slot(boundary, hash)] !== 0;
  }

  /** Adds a new prefix. Throws Stop if memory is insufficient. */
  add(boundary: Int32Array, hash: number): void {
    if (2 * this.size >= this.#table.length) this.#growTable();
    if (this.size === this.#blocks.length * BLOCK) this.#growBlocks();
    const record = this.size++;
    const block = this.#blocks[Math.floor(record / BLOCK)];
    const at = (record % BLOCK) * this.#width;
    block[at] = hash;
    block.set(boundary, at + 1);
    this.#table[this.#slot(boundary, hash)] = record + 1;
  }

  /** Slot of the table that has this prefix, or has room for it. */
  #slot(boundary: Int32Array, hash: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    let slot = hash & mask;
    while (table[slot] !== 0 && !this.#is(table[slot] - 1, boundary, hash)) slot = (slot + 1) & mask;
    return slot;
  }

  #is(record: number, boundary: Int32Array, hash: number): boolean {
    const block = this.#blocks[Math.floor(record / BLOCK)];
    const at = (record % BLOCK) * this.#width;
    if (block[at] !== hash) return false;
    for (let s = 0; s < boundary.length; s++) if (block[at + 1 + s] !== boundary[s]) return false;
    return true;
  }

  #growTable(): void {
    // While the table grows, the old and the new table coexist.
    this.#charge(8 * this.#table.length);
    const table = new Int32Array(2 * this.#table.length);
    const mask = table.length - 1;
    for (let record = 0; record < this.size; record++) {
      let slot = this.#blocks[Math.floor(record / BLOCK)][(record % BLOCK) * this.#width] & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = record + 1;
    }
    this.#table = table;
  }

  #growBlocks(): void {
    this.#charge(4 * BLOCK * this.#width);
    this.#blocks.push(new Int32Array(BLOCK * this.#width));
  }

  #charge(more: number): void {
    const bytes = this.bytes + more;
    if (bytes <= this.#maxBytes) return;
    const detail = `${this.size} prefixes of the search have failed; storing more takes ${bytes} bytes, more than maxMemoBytes (${this.#maxBytes})`;
    throw new Stop('memory', detail);
  }
}
