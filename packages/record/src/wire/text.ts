import { isUtf8 } from 'node:buffer';

/** A text of a message, and how its bytes are had again from it. */
export interface Text {
  readonly value: string;
  readonly encoding: 'utf8' | 'latin1';
  /** After its terminating zero. */
  readonly end: number;
}

/** The text from `start` up to a zero; null where there is no zero, or no string could hold it. */
export function readText(bytes: Buffer, start: number): Text | null {
  const zero = bytes.indexOf(0, start);
  if (zero < 0 || zero - start > LONGEST_TEXT) return null;
  const part = bytes.subarray(start, zero);
  // The client's encoding may be any. Both ways of reading give the very same bytes when they are written again.
  const encoding = isUtf8(part) ? 'utf8' : 'latin1';
  return { value: part.toString(encoding), encoding, end: zero + 1 };
}

const LONGEST_TEXT = 1 << 28;
