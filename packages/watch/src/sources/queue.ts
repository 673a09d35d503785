/** What servers put in and the watcher takes out. */
export class ChunkQueue {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #wake: () => void = () => {};
  #waiting: (() => void)[] = [];
  #isClosed = false;

  /** Whether more should wait. */
  get isFull(): boolean {
    return this.#bytes > MOST_BYTES;
  }

  put(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#wake();
  }

  /** Calls once there is room again. */
  whenRoom(call: () => void): void {
    this.#waiting.push(call);
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *taken(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
        this.#bytes -= chunk.length;
        if (!this.isFull) for (const call of this.#waiting.splice(0)) call();
        yield chunk;
      }
      if (this.#isClosed) return;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}

const MOST_BYTES = 1 << 26;
