/** A packet that passed, without its four bytes of length and number. */
export interface Packet {
  readonly payload: Buffer;
  /** Total size of the payload; a larger payload than `MOST_BYTES` is kept only in part. */
  readonly size: number;
  /** The position after the packet in the chunk that completed it. */
  readonly end: number;
}

const MOST_BYTES = 1 << 20;
const FULL = 0xff_ff_ff;

/** Splits a stream into packets; the parts of a payload of more than 16 MB are one packet. */
export class Framer {
  readonly #parts: Buffer[] = [];
  #kept = 0;
  #size = 0;
  /** Number of bytes that the current part lacks; null while its length is incomplete. */
  #missing: number | null = null;
  #isLast = true;
  #head = Buffer.alloc(0);

  /** Whether the stream is between two packets. */
  get isIdle(): boolean {
    return this.#missing === null && this.#head.length === 0 && this.#size === 0;
  }

  *push(chunk: Buffer): Generator<Packet> {
    let at = 0;
    while (at < chunk.length || this.#missing === 0) {
      if (this.#missing === null) {
        const needed = 4 - this.#head.length;
        const head = Buffer.concat([this.#head, chunk.subarray(at, at + needed)]);
        at += Math.min(needed, chunk.length - at);
        this.#head = head;
        if (head.length < 4) return;
        this.#missing = head.readUIntLE(0, 3);
        this.#isLast = this.#missing < FULL;
        this.#head = Buffer.alloc(0);
      }
      const part = chunk.subarray(at, at + this.#missing);
      at += part.length;
      this.#missing -= part.length;
      this.#size += part.length;
      if (this.#kept < MOST_BYTES && part.length > 0) {
        this.#parts.push(part);
        this.#kept += part.length;
      }
      if (this.#missing > 0) return;
      this.#missing = null;
      if (this.#isLast) yield this.#packet(at);
    }
  }

  #packet(end: number): Packet {
    const [only] = this.#parts;
    const payload = this.#parts.length === 1 ? only! : Buffer.concat(this.#parts);
    const packet = { payload, size: this.#size, end };
    this.#parts.length = this.#kept = this.#size = 0;
    return packet;
  }
}

/** Returns a command as the client's first packet. */
export function framed(payload: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(payload.length, 0, 3);
  return Buffer.concat([head, payload]);
}
