/** Cuts bytes after their last line feed. The rest is copied once and kept until its line is complete. */
export class WholeLines {
  #rest = Buffer.alloc(0);
  #size = 0;

  /** Number of bytes of the incomplete line. */
  get unfinished(): number {
    return this.#size;
  }

  /** Returns the complete lines so far. */
  take(chunk: Uint8Array): Buffer {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    const whole = Buffer.from(chunk.buffer, chunk.byteOffset, end);
    if (end === 0) {
      this.#keep(chunk);
      return whole;
    }
    const lines = this.#size === 0 ? whole : Buffer.concat([this.#rest.subarray(0, this.#size), whole]);
    [this.#rest, this.#size] = [Buffer.alloc(0), 0];
    this.#keep(chunk.subarray(end));
    return lines;
  }

  get rest(): Buffer {
    return this.#rest.subarray(0, this.#size);
  }

  /** The buffer doubles in size, so that a long line in many pieces is not copied for each piece. */
  #keep(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > this.#rest.length) {
      const room = Buffer.allocUnsafeSlow(this.#size === 0 ? size : Math.max(size, 2 * this.#rest.length));
      room.set(this.rest);
      this.#rest = room;
    }
    this.#rest.set(bytes, this.#size);
    this.#size = size;
  }
}

export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

export const LINE_FEED = 10;
