import { decodeUtf8, firstInvalidUtf8, sequenceLength } from './utf8.ts';

const SHOWN = 24; // longest word or string that a message repeats, in characters

const NAMED: Readonly<Record<number, string>> = {
  0x09: 'a tab',
  0x0a: 'a line break',
  0x0d: 'a carriage return',
  0x20: 'a space',
};

/** Describes the text at `at` for an error message: a whole word or short string, a character, a byte, or the end. */
export function describe(bytes: Uint8Array, at: number, end: number): string {
  if (at >= end) {
    const next = at < bytes.length ? bytes[at] : 0;
    return next === 0x0a || next === 0x0d ? 'the end of the line' : 'the end of the input';
  }
  const byte = bytes[at];
  if (byte >= 0x80) return describeCodePoint(bytes, at, end);
  if (byte === 0x22) return describeString(bytes, at, end);
  if (byte <= 0x20 || byte === 0x7f) return NAMED[byte] ?? hexByte(byte);

  let stop = at + 1;
  if (isWordByte(byte) || byte === 0x5c) while (stop < end && isWordByte(bytes[stop]) && stop - at <= SHOWN) stop++;
  return stop - at > SHOWN ? `'${decodeUtf8(bytes, at, at + SHOWN)}…'` : `'${decodeUtf8(bytes, at, stop)}'`;
}

function describeString(bytes: Uint8Array, at: number, end: number): string {
  let stop = at + 1;
  while (stop < end && stop - at <= SHOWN && bytes[stop] !== 0x22 && bytes[stop] >= 0x20 && bytes[stop] < 0x7f) stop++;
  if (stop === at + 1 && (stop === end || bytes[stop] !== 0x22)) return `'"'`;
  const whole = stop < end && bytes[stop] === 0x22;
  return `"${decodeUtf8(bytes, at + 1, stop)}${whole ? '"' : '…'}`;
}

function describeCodePoint(bytes: Uint8Array, at: number, end: number): string {
  const stop = at + sequenceLength(bytes[at]);
  if (stop === at || stop > end || firstInvalidUtf8(bytes, at, stop) >= 0) return hexByte(bytes[at]);
  const character = decodeUtf8(bytes, at, stop);
  // Marks, format controls and similar characters would be invisible or would disturb the message.
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character)) return `'${character}'`;
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function hexByte(byte: number): string {
  return `byte 0x${byte.toString(16).padStart(2, '0')}`;
}

/** Returns whether a byte may be part of a number, keyword or symbol. */
function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) || // a–z
    (byte >= 0x41 && byte <= 0x5a) || // A–Z
    (byte >= 0x2f && byte <= 0x3a) || // / 0–9 :
    byte === 0x2b || // +
    byte === 0x2d || // -
    byte === 0x2e || // .
    byte === 0x5f // _
  );
}
