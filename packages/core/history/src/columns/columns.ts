import { NO_TIME } from './operation.ts';

export type Column = Uint8Array | Int32Array | Uint32Array | Float64Array | BigInt64Array;

/** New capacity of a full column with `used` entries. */
export type Growth = (used: number) => number;

const doubling: Growth = (used) => 2 * used;

/**
 * Estimates the final size from the share of the input read so far, so columns are copied only once or twice. Unused
 * capacity costs no memory.
 */
export function growthFor(share: (() => number) | undefined): Growth {
  if (!share) return doubling;
  return (used) => {
    const read = share();
    // A small file has been read completely before the first column is full; its small columns may double.
    const least = used < SMALL ? 2 : 1.25;
    return read > 0 ? Math.ceil(Math.max(least, Math.min(1.1 / read, MOST_FORESEEN)) * used) : 2 * used;
  };
}

export function grown<C extends Exclude<Column, BigInt64Array>>(from: C, to: C): C {
  to.set(from);
  return to;
}

/**
 * Makes a column that threads can share without a copy, if the host has shared memory. Small columns are not shared,
 * because a copy is faster than shared memory.
 */
export const newInts = (length: number, least = SHARED_BYTES): Int32Array =>
  new Int32Array(bufferOf(4 * length, least));
export const newBytes = (length: number, least = SHARED_BYTES): Uint8Array => new Uint8Array(bufferOf(length, least));

/** Makes an empty column of the same type. */
export const emptyLike = <C extends Column>({ constructor, BYTES_PER_ELEMENT }: C, length: number): C =>
  new (constructor as new (buffer: ArrayBufferLike) => C)(bufferOf(BYTES_PER_ELEMENT * length));

const bufferOf = (bytes: number, least = SHARED_BYTES): ArrayBufferLike =>
  bytes >= least && typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);

/** Concatenates two columns. */
export function followedBy<C extends Uint8Array | Int32Array>(first: C, second: C): C {
  const both = new (first.constructor as new (length: number) => C)(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Grows a column of times; the added entries are NO_TIME. */
export function grownTimes(old: BigInt64Array, capacity: number): BigInt64Array {
  const times = new BigInt64Array(capacity).fill(NO_TIME, old.length);
  times.set(old);
  return times;
}

/** Returns the first `length` entries without copying: the unused tail of a column takes no memory. */
export function trim<C extends Column>(column: C, length: number): C {
  if (column.length === length) return column;
  if (column.buffer.byteLength >= SHARED_BYTES && !(column.buffer instanceof ArrayBuffer))
    return column.subarray(0, length) as C;
  const spare = (column.length - length) * column.BYTES_PER_ELEMENT;
  return (spare < COPIED_BYTES ? column.slice(0, length) : column.subarray(0, length)) as C;
}

const COPIED_BYTES = 1 << 20;
const SHARED_BYTES = 1 << 20;
const MOST_FORESEEN = 4096;
const SMALL = 1 << 16;
