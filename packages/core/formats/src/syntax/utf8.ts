// Validation and decoding of byte ranges. Histories are nearly all ASCII in short pieces, for which a call of
// TextDecoder costs more than the text itself (about 100 ns for any length, measured with Node 20), so TextDecoder
// handles only the rest.

const decoder = new TextDecoder('utf-8', { ignoreBOM: true }); // otherwise a leading U+FEFF would be lost
const SHORT = 16;

/** Returns the text of a range that {@link firstInvalidUtf8} accepted. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT || !isAscii(bytes, start, end)) return decoder.decode(bytes.subarray(start, end));
  let text = '';
  let at = start;
  for (; at + 4 <= end; at += 4) {
    text += String.fromCharCode(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
  }
  for (; at < end; at++) text += String.fromCharCode(bytes[at]);
  return text;
}

export function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  let seen = 0;
  for (let at = start; at < end; at++) seen |= bytes[at];
  return seen < 0x80;
}

/**
 * Returns the index of the first byte that is not part of a well-formed UTF-8 sequence, or -1 (Unicode 15, table 3-7).
 */
export function firstInvalidUtf8(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const lead = bytes[at];
    if (lead < 0x80) {
      at++;
      continue;
    }
    const length = sequenceLength(lead);
    if (length === 0 || at + length > end) return at;
    // Only the second byte has special bounds: they exclude overlong forms, surrogates and code points past U+10FFFF.
    const second = bytes[at + 1];
    const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (second < lowest || second > highest) return at;
    for (let i = at + 2; i < at + length; i++) if ((bytes[i] & 0xc0) !== 0x80) return at;
    at += length;
  }
  return -1;
}

/** Returns the length in bytes of a sequence with this first byte, or 0 if no sequence begins with it. */
export function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}
