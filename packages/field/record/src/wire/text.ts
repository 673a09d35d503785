import { isUtf8 } from 'node:buffer';

export type Encoding = 'utf8' | 'latin1';

/** A text of a message, with the encoding that restores its bytes. */
export interface Text {
  readonly value: string;
  readonly encoding: Encoding;
}

/** Position after the zero byte that ends a text; -1 if there is no zero byte before `end`. */
export function endOfText(bytes: Buffer, start: number, end: number): number {
  if (start < end && bytes[start] === 0) return start + 1;
  const zero = bytes.indexOf(0, start);
  return zero >= 0 && zero < end ? zero + 1 : -1;
}

/** Reads a text that ends, with its zero byte, before `end`. Null if the text is too long for a string. */
export function readText(bytes: Buffer, start: number, end: number): Text | null {
  if (end - start > LONGEST_TEXT) return null;
  const latin1 = bytes.toString('latin1', start, end - 1);
  if (!BEYOND_ASCII.test(latin1)) return { value: latin1, encoding: 'utf8' };
  // The client may use any encoding. Both ways of decoding restore exactly the same bytes.
  if (!isUtf8(bytes.subarray(start, end - 1))) return { value: latin1, encoding: 'latin1' };
  return { value: bytes.toString('utf8', start, end - 1), encoding: 'utf8' };
}

/** Reads a name that ends, with its zero byte, before `end`. */
export const readName = (bytes: Buffer, start: number, end: number): string =>
  end - start === 1 ? '' : (readText(bytes, start, end)?.value ?? '');

const BEYOND_ASCII = /[\x80-\xff]/;
export const LONGEST_TEXT = 1 << 28;
