import { decodeUtf8, isAscii } from './utf8.ts';

const SLOTS = 1024; // a power of two
const CAPACITY = SLOTS / 2;
const PROBES = 8;

/** Longest text kept, in bytes: the words of a format are shorter, and longer values seldom repeat. */
const LONGEST = 24;

/**
 * Finds short ASCII texts by their bytes, so that all occurrences of a word share one string. Texts are never evicted.
 */
export class StringPool {
  private readonly texts: string[] = Array.from({ length: SLOTS }, () => '');
  private readonly lengths = new Int32Array(SLOTS); // 0 for an empty slot
  private readonly kept = new Uint8Array(SLOTS * LONGEST); // the bytes of each text, for comparison
  private size = 0;

  /** Returns the text of `bytes[start, end)` if it is ASCII and kept here or worth keeping, otherwise undefined. */
  text(bytes: Uint8Array, start: number, end: number): string | undefined {
    const length = end - start;
    if (length === 0) return '';
    if (length > LONGEST) return undefined;

    const { lengths, kept } = this;
    // Four bytes suffice to hash words, and save a multiplication for each byte read.
    const sample = (bytes[start] << 24) ^ (bytes[start + (length >> 1)] << 16) ^ (bytes[end - 1] << 8) ^ (length << 2);
    const hash = Math.imul(sample, 0x9e3779b1) >>> 16;
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = (hash + probe) & (SLOTS - 1);
      const keptLength = lengths[slot];
      if (keptLength === 0) return this.keep(slot, bytes, start, end);
      if (keptLength !== length) continue;
      let same = slot * LONGEST;
      let at = start;
      while (at < end && bytes[at] === kept[same]) {
        at++;
        same++;
      }
      if (at === end) return this.texts[slot];
    }
    return undefined;
  }

  private keep(slot: number, bytes: Uint8Array, start: number, end: number): string | undefined {
    if (this.size === CAPACITY || !isAscii(bytes, start, end)) return undefined;
    const text = decodeUtf8(bytes, start, end);
    this.size++;
    this.kept.set(bytes.subarray(start, end), slot * LONGEST);
    this.lengths[slot] = end - start;
    return (this.texts[slot] = internalised(text));
  }
}

/**
 * Returns the text from the engine's own table, which holds literals too, so comparing it with a literal compares
 * pointers.
 */
function internalised(text: string): string {
  return Object.keys({ [text]: 0 })[0];
}
