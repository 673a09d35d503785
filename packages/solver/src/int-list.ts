/** Integers in a typed array that grows. */
export class IntList {
  items: Int32Array;
  size = 0;

  constructor(capacity: number = 16) {
    this.items = new Int32Array(capacity);
  }

  push(item: number): void {
    if (this.size === this.items.length) this.items = grown(this.items, this.size + 1);
    this.items[this.size++] = item;
  }

  toArray(): number[] {
    return Array.from(this.items.subarray(0, this.size));
  }
}

/** A copy that holds at least `needed` items, and at least half as many again as before; new places hold zero. */
export function grown<T extends Int8Array | Uint8Array | Int32Array | Float64Array>(items: T, needed: number): T {
  if (needed <= items.length) return items;
  const Column = items.constructor as new (length: number) => T;
  const larger = new Column(Math.max(needed, items.length + (items.length >> 1) + 16));
  larger.set(items);
  return larger;
}
