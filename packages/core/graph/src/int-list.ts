/** A growing list of integers in a typed array. */
export class IntList {
  /** The items, followed by spare room; `push` may replace the array. */
  items: Int32Array;
  length = 0;

  constructor(capacity: number = 16) {
    this.items = new Int32Array(capacity);
  }

  push(item: number): void {
    if (this.length === this.items.length) this.items = grown(this.items, this.length + 1);
    this.items[this.length++] = item;
  }

  /** Returns the items without the spare room; shares memory with the list until it grows. */
  view(): Int32Array {
    return this.items.subarray(0, this.length);
  }

  toArray(): Int32Array {
    return this.items.slice(0, this.length);
  }
}

type Column = Int8Array | Uint8Array | Int32Array | Float64Array;

/** Returns the column itself if it holds `needed` items; otherwise a larger copy, padded with zeros. */
export function grown<T extends Column>(column: T, needed: number): T {
  if (needed <= column.length) return column;
  const Type = column.constructor as new (length: number) => T;
  const larger = new Type(Math.max(needed, column.length + (column.length >> 1) + 16));
  larger.set(column);
  return larger;
}
