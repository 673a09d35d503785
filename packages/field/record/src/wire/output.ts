import { HEADER } from './message-types.ts';
import type { Encoding } from './text.ts';

const NO_BYTES: Buffer = Buffer.alloc(0);

/** Outgoing bytes. They are copied, so that their source can be reused. */
export class Output {
  #bytes: Buffer = NO_BYTES;
  #length = 0;
  /** The memory of the last completed part. */
  #lent: Buffer = NO_BYTES;
  /** Completed parts: large ones, which are not copied again. */
  #pieces: Buffer[] = [];

  pass(bytes: Buffer, start: number, end: number): void {
    const at = this.#reserve(end - start);
    bytes.copy(this.#bytes, at, start, end);
    this.#length = at + end - start;
  }

  add(bytes: Buffer): void {
    this.pass(bytes, 0, bytes.length);
  }

  /** Adds bytes without copying; the caller must not reuse them. */
  give(bytes: Buffer): void {
    if (bytes.length < LARGE) {
      this.add(bytes);
      return;
    }
    this.#seal();
    this.#pieces.push(bytes);
  }

  /** Adds a message of `bytes` from `start`, cut off at `end`, whose leading column count becomes `count`. */
  shorten(bytes: Buffer, start: number, end: number, count: number): void {
    const at = this.#reserve(end - start);
    bytes.copy(this.#bytes, at, start, end);
    this.#bytes.writeInt32BE(end - start - 1, at + 1);
    this.#bytes.writeUInt16BE(count, at + HEADER);
    this.#length = at + end - start;
  }

  /** Adds a message that consists of a text and other bytes before and after it. */
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

  /** Returns the gathered bytes, which now belong to the caller. */
  take(): readonly Buffer[] {
    if (this.#length === 0 && this.#pieces.length === 0) return NOTHING;
    this.#seal();
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Makes room and returns its offset. */
  #reserve(length: number): number {
    const needed = this.#length + length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length, FIRST));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return this.#length;
  }

  /** Notes that the taken bytes have no user any more: their memory is used again. */
  reuse(): void {
    if (this.#length === 0 && this.#lent.length < LARGE) this.#bytes = this.#lent;
  }

  #seal(): void {
    if (this.#length === 0) return;
    this.#pieces.push(this.#bytes.subarray(0, this.#length));
    this.#lent = this.#bytes;
    this.#bytes = NO_BYTES;
    this.#length = 0;
  }
}

const NOTHING: readonly Buffer[] = [];
const FIRST = 1 << 12;
const LARGE = 1 << 15;
/** Maximum number of UTF-8 bytes per code unit of a string. */
const MOST_BYTES_OF_UNIT = 3;
