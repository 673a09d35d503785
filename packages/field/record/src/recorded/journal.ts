import { PRIVATE } from '@isolab/formats';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

const FLUSH_BYTES = 64 * 1024;
const FLUSH_MS = 100;

/** The file of a recording. Lines are buffered, and flushed if they must precede an event. */
export class Journal {
  readonly #descriptor: number;
  #lines: string[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | null = null;
  bytes = 0;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w', PRIVATE);
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#size >= FLUSH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#lines.length === 0) return;
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#size = 0;
    for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at);
    this.bytes += bytes.length;
  }

  close(): void {
    this.flush();
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
  }
}
