import { valueWritten } from './entries.ts';
import { type History, countValues } from './history.ts';
import { OpKind } from '../columns/operation.ts';
import type { OperationOrder } from './key-groups.ts';

/** A number for each written version (a key and a value); 0 until it is set. */
export interface VersionSlots {
  /** Returns the number of a version; 0 if it is never written. */
  find(key: number, value: number): number;
  /** Returns the place of a written version in `numbers`; −1 if another version occupies it. */
  place(key: number, value: number): number;
  readonly numbers: Int32Array;
}

/** One slot per value, which suffices as long as no value is written to two keys. */
export class SlotsByValue implements VersionSlots {
  readonly numbers: Int32Array; // pairs: key, number

  constructor(history: History, numbers: Int32Array = new Int32Array(2 * countValues(history))) {
    this.numbers = numbers;
  }

  find(key: number, value: number): number {
    return this.numbers[2 * value] === key ? this.numbers[2 * value + 1] : 0;
  }

  place(key: number, value: number): number {
    const at = 2 * value + 1;
    if (this.numbers[at] === 0) this.numbers[at - 1] = key;
    else if (this.numbers[at - 1] !== key) return -1;
    return at;
  }
}

/** Upper bound on the bytes of the tables per write. */
export const SLOT_BYTES = 12;

/**
 * Makes a table for each key: either of all values between the least and the greatest written value, or a hash table.
 * `order` has the operations in an order that keeps the data about their keys in the processor's caches.
 */
export function slotsByKey(history: History, order: OperationOrder | null): VersionSlots {
  const numKeys = history.keyInitial.length;
  const writes = new Int32Array(numKeys);
  const least = new Int32Array(numKeys).fill(0x7fffffff);
  const greatest = new Int32Array(numKeys);
  const {
    kind: kinds,
    key: keys,
    value: values,
  } = order ?? { kind: history.opKind, key: history.opKey, value: history.opValue };
  for (let i = 0; i < kinds.length; i++) {
    const kind = kinds[i];
    if (kind === OpKind.Read) continue;
    const value = kind === OpKind.Write ? values[i] : valueWritten(history, order === null ? i : order.op[i]);
    if (value < 0) continue;
    const key = keys[i];
    writes[key]++;
    if (value < least[key]) least[key] = value;
    if (value > greatest[key]) greatest[key] = value;
  }
  const ranges = writes.map((count, key) => (count === 0 ? 0 : greatest[key] - least[key] + 1));
  const sumOf = (sizes: Int32Array): number => sizes.reduce((sum, size) => sum + size, 0);
  return sumOf(ranges) <= WIDEST * sumOf(writes) ? new SlotsByRange(ranges, least) : new SlotsByHash(writes);
}

class SlotsByRange implements VersionSlots {
  readonly numbers: Int32Array;
  readonly #base: Int32Array; // first slot of each key, with one extra slot
  readonly #least: Int32Array;

  constructor(sizes: Int32Array, least: Int32Array) {
    this.#base = startsOf(sizes);
    this.#least = least;
    this.numbers = new Int32Array(this.#base[sizes.length]);
  }

  find(key: number, value: number): number {
    const first = this.#base[key];
    const at = first + value - this.#least[key];
    return at >= first && at < this.#base[key + 1] ? this.numbers[at] : 0;
  }

  place(key: number, value: number): number {
    return this.#base[key] + value - this.#least[key];
  }
}

/** Slots by open addressing; all tables share one array. */
class SlotsByHash implements VersionSlots {
  readonly numbers: Int32Array; // pairs: value, number
  readonly #base: Int32Array;

  constructor(writes: Int32Array) {
    // Tables are at most two thirds full, and never completely full.
    this.#base = startsOf(writes.map((count) => (count === 0 ? 0 : count + (count >> 1) + 1)));
    this.numbers = new Int32Array(2 * this.#base[writes.length]);
  }

  find(key: number, value: number): number {
    return this.#base[key] === this.#base[key + 1] ? 0 : this.numbers[this.#lookUp(key, value)];
  }

  place(key: number, value: number): number {
    const at = this.#lookUp(key, value);
    this.numbers[at - 1] = value;
    return at;
  }

  /** Returns the version's slot, or the empty slot for it. */
  #lookUp(key: number, value: number): number {
    const numbers = this.numbers;
    const base = this.#base[key];
    const size = this.#base[key + 1] - base;
    let slot = slotOf(value, size);
    for (;;) {
      const at = 2 * (base + slot) + 1;
      if (numbers[at] === 0 || numbers[at - 1] === value) return at;
      if (++slot === size) slot = 0;
    }
  }
}

function startsOf(sizes: Int32Array): Int32Array {
  const start = new Int32Array(sizes.length + 1);
  for (let key = 0; key < sizes.length; key++) start[key + 1] = start[key] + sizes[key];
  return start;
}

/** Maximal capacity of the direct tables, in values per write. */
const WIDEST = 2;

/** First slot to probe in a table of this size: Fibonacci hashing, which spreads consecutive numbers evenly. */
const slotOf = (value: number, size: number): number => ((Math.imul(value, GOLDEN) >>> 0) * size * 2 ** -32) | 0;

/** 2^32 divided by the golden ratio. */
const GOLDEN = 0x9e3779b1;
