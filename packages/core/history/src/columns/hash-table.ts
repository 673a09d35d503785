// Hash tables of ids + 1 with open addressing, whose size is a power of two; 0 is an empty slot.

/** Mixes a pair of 32-bit integers well enough for a table whose size is a power of two. */
export function hashPair(a: number, b: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return h ^ (h >>> 13);
}

/** Enters an id into a table that has room. */
export function enter(slots: Int32Array, id: number, hash: number): void {
  const mask = slots.length - 1;
  let slot = hash & mask;
  while (slots[slot] !== 0) slot = (slot + 1) & mask;
  slots[slot] = id + 1;
}

/** Returns a larger table with the same ids. */
export function rehashed(old: Int32Array, hashOf: (id: number) => number): Int32Array<ArrayBuffer> {
  const slots = new Int32Array((old.length < SMALL ? 4 : 2) * old.length);
  for (let i = 0; i < old.length; i++) {
    const id = old[i] - 1;
    if (id >= 0) enter(slots, id, hashOf(id));
  }
  return slots;
}

/** Smaller tables grow faster, because moving their entries ends before this code is compiled. */
const SMALL = 1 << 16;
