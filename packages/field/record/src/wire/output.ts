import { HEADER } from './message-types.ts';
import type { Encoding } from './text.ts';

/** Bytes on their way out. They are copied, so their source can be used again. */
export class Output {
  #bytes = Buffer.alloc(0);
  #length = 0;
  /** Parts that were complete before: large ones, which are not copied once more. */
  #pieces: Buffer[] = [];

  /** A part of `bytes`. */
  pass(bytes: Buffer, start: number, end: number): void {
    const at = this.#reserve(end - start);
    bytes.copy(this.#bytes, at, start, end);
    this.#length = at + end - start;
  }

  add(bytes: Buffer): void {
    this.pass(bytes, 0, bytes.length);
  }

  /** Adds bytes that no other code uses any more. */
  give(bytes: Buffer): void {
    if (bytes.length < LARGE) {
      this.add(bytes);
      return;
    }
    this.#seal();
    this.#pieces.push(bytes);
  }

  /** A message of `bytes` from `start`, which is cut at `end` and has `count` columns; that number is its first. */
  shorten(bytes: Buffer, start: number, end: number, count: number): void {
    const at = this.#reserve(end - start);
    bytes.copy(this.#bytes, at, start, end);
    this.#bytes.writeInt32BE(end - start - 1, at + 1);
    this.#bytes.writeUInt16BE(count, at + HEADER);
    this.#length = at + end - start;
  }

  /** A message of a text, with other bytes of its body before and after it. */
  message(type: number, before: Buffer, text: string, encoding: Encoding, behind: Buffer): void {
    const most = HEADER + before.length + MOST_BYTES_OF_UNIT * text.length + 1 + behind.length;
    const start = this.#reserve(most);
    const bytes = this.#bytes;
    let at = start + HEADER;
    at += before.copy(bytes, at);
    at += bytes.write(text, at, encoding);
    bytes[at++] = 0;
    at += behind.copy(bytes, at);
    bytes[start] = type;
    bytes.writeInt32BE(at - start - 1, start + 1);
    this.#length = at;
  }

  /** Returns the gathered bytes, which are the caller's from now on. */
  take(): readonly Buffer[] {
    if (this.#length === 0 && this.#pieces.length === 0) return NOTHING;
    this.#seal();
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Makes room, and gives the place where it begins. */
  #reserve(length: number): number {
    const needed = this.#length + length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length, FIRST));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return this.#length;
  }

  #seal(): void {
    if (this.#length === 0) return;
    const gathered = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    if (gathered.length < LARGE) this.#pieces.push(Buffer.from(gathered));
    else {
      this.#pieces.push(gathered);
      this.#bytes = NO_BYTES;
    }
  }
}

const NOTHING: readonly Buffer[] = [];
const NO_BYTES = Buffer.alloc(0);
const FIRST = 1 << 12;
const LARGE = 1 << 15;
/** Bytes of UTF-8, at most, for each unit of a string. */
const MOST_BYTES_OF_UNIT = 3;
