import { isUtf8 } from 'node:buffer';

export type Encoding = 'utf8' | 'latin1';

/** A text of a message, and how its bytes are had again from it. */
export interface Text {
  readonly value: string;
  readonly encoding: Encoding;
}

/** Position behind the zero that ends a text; -1 where there is none before `end`. */
export function endOfText(bytes: Buffer, start: number, end: number): number {
  if (start < end && bytes[start] === 0) return start + 1;
  const zero = bytes.indexOf(0, start);
  return zero >= 0 && zero < end ? zero + 1 : -1;
}

/** The text that ends, with its zero, before `end`. Null where no string could hold it. */
export function readText(bytes: Buffer, start: number, end: number): Text | null {
  if (end - start > LONGEST_TEXT) return null;
  const latin1 = bytes.toString('latin1', start, end - 1);
  if (!BEYOND_ASCII.test(latin1)) return { value: latin1, encoding: 'utf8' };
  // The client's encoding may be any. Both ways of reading give the very same bytes when they are written again.
  if (!isUtf8(bytes.subarray(start, end - 1))) return { value: latin1, encoding: 'latin1' };
  return { value: bytes.toString('utf8', start, end - 1), encoding: 'utf8' };
}

/** A name that ends, with its zero, before `end`. */
export const readName = (bytes: Buffer, start: number, end: number): string =>
  end - start === 1 ? '' : (readText(bytes, start, end)?.value ?? '');

const BEYOND_ASCII = /[\x80-\xff]/;
const LONGEST_TEXT = 1 << 28;
