import type { Chunk } from './source.ts';

/** A queue of chunks between servers or readers and the watcher. */
export class ChunkQueue<T extends Chunk = Chunk> {
  readonly #chunks: T[] = [];
  #bytes = 0;
  #wake: () => void = () => {};
  #waiting: (() => void)[] = [];
  #isClosed = false;

  /** Whether producers should wait. */
  get isFull(): boolean {
    return this.#bytes > MOST_BYTES;
  }

  put(chunk: T): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.bytes.length;
    this.#wake();
  }

  /** Calls back when there is room again. */
  whenRoom(call: () => void): void {
    if (this.isFull) this.#waiting.push(call);
    else call();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *taken(): AsyncGenerator<T> {
    for (;;) {
      for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
        this.#bytes -= chunk.bytes.length;
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
