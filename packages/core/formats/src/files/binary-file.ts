import type { ByteSink } from './output.ts';

/** Collects bytes and 64-bit integers, and writes them to a file in large pieces. */
export class BinaryFile {
  readonly #sink: ByteSink;
  #bytes = Buffer.allocUnsafe(2 * PIECE_BYTES);
  #length = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  byte(byte: number): void {
    this.#make(1);
    this.#bytes[this.#length++] = byte;
  }

  bigEndian(integer: bigint): void {
    this.#make(8);
    this.#length = this.#bytes.writeBigInt64BE(integer, this.#length);
  }

  littleEndian(unsigned: bigint): void {
    this.#make(8);
    this.#length = this.#bytes.writeBigUInt64LE(unsigned, this.#length);
  }

  bytes(bytes: Uint8Array): void {
    this.#make(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /**
   * Passes the collected bytes to the sink if there are at least this many. The sink may keep them, so a new buffer
   * follows.
   */
  async flush(atLeast = PIECE_BYTES): Promise<void> {
    if (this.#length < atLeast) return;
    const piece = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.allocUnsafe(2 * PIECE_BYTES);
    this.#length = 0;
    await this.#sink.write(piece);
  }

  async close(): Promise<void> {
    await this.flush(1);
    await this.#sink.close();
  }

  #make(size: number): void {
    while (this.#length + size > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
  }
}

const PIECE_BYTES = 1 << 16;
