import { encodeText } from './atoms.ts';
import { grown, trim } from './columns.ts';
import { hashPair } from './hash-table.ts';

/** Texts in one UTF-8 buffer. The text written last can be compared with the kept texts before it is kept, too. */
export class TextList {
  #bytes = new Uint8Array(INITIAL_CAPACITY);
  #start = new Uint32Array(INITIAL_CAPACITY);
  #count = 0;
  #end = 0; // of the text written last

  /** Writes a text and returns whether it is ASCII. Most texts are, and a loop is faster for them than an encoder. */
  write(text: string): boolean {
    const first = this.#start[this.#count];
    const { length } = text;
    this.#end = first + length;
    if (this.#end > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(2 * this.#end));
    const kept = this.#bytes;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) {
        const encoded = encodeText(text);
        this.writeBytes(encoded, 0, encoded.length);
        return false;
      }
      kept[first + i] = unit;
    }
    return true;
  }

  writeBytes(bytes: Uint8Array, from: number, to: number): void {
    const first = this.#start[this.#count];
    this.#end = first + to - from;
    if (this.#end > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(2 * this.#end));
    const kept = this.#bytes;
    for (let at = from; at < to; at++) kept[first + at - from] = bytes[at];
  }

  /** Copies a kept text to another list. */
  copyTo(number: number, other: TextList): void {
    other.writeBytes(this.#bytes, this.#start[number], this.#start[number + 1]);
  }

  /** Keeps the text written last, and returns its number. */
  keep(): number {
    if (this.#count + 2 > this.#start.length) this.#start = grown(this.#start, new Uint32Array(2 * this.#start.length));
    this.#start[this.#count + 1] = this.#end;
    return this.#count++;
  }

  /** Returns whether a kept text equals the text written last. */
  isWritten(number: number): boolean {
    const bytes = this.#bytes;
    const from = this.#start[this.#count];
    const length = this.#end - from;
    const first = this.#start[number];
    if (this.#start[number + 1] - first !== length) return false;
    let same = 0;
    while (same < length && bytes[first + same] === bytes[from + same]) same++;
    return same === length;
  }

  /** Hashes the text written last, or a kept text. */
  hash(number = this.#count): number {
    const bytes = this.#bytes;
    const end = number === this.#count ? this.#end : this.#start[number + 1];
    let hash = 0;
    for (let at = this.#start[number]; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    return hashPair(hash, end - this.#start[number]);
  }

  finish(): { readonly text: Uint8Array; readonly textStart: Uint32Array } {
    return {
      text: trim(this.#bytes, this.#start[this.#count]),
      textStart: trim(this.#start, this.#count + 1),
    };
  }
}

const INITIAL_CAPACITY = 64;
