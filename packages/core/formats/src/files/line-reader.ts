import type { History } from '@isolab/history';
import { quoteBytes, unexpected } from './errors.ts';
import type { ByteStream } from './input.ts';
import { readLineWindows } from './windows.ts';

/** Reads lines and knows their positions. */
export abstract class LineReader<Result = History> {
  protected readonly file: string;
  protected line = 0;
  #begin = 0; // index of the line's first byte in the window

  constructor(file: string) {
    this.file = file;
  }

  async readAll(input: ByteStream, longestLine?: number): Promise<Result> {
    await readLineWindows(input, (bytes, start, end) => this.#readLines(bytes, start, end), longestLine);
    return this.finish();
  }

  /** Reads a line and returns the beginning of the next line. */
  protected abstract readLine(bytes: Uint8Array, at: number, end: number): number;

  protected abstract finish(): Result;

  #readLines(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end;) {
      this.line++;
      this.#begin = at;
      at = this.readLine(bytes, at, end);
    }
  }

  /** Refuses the text from `at` to `end`. */
  protected fail(bytes: Uint8Array, at: number, end: number, expected: string): never {
    const feed = bytes.indexOf(LINE_FEED, this.#begin);
    const lineEnd = feed < 0 || feed > end ? end : feed;
    const found = at < lineEnd ? quoteBytes(bytes, at, lineEnd) : 'the end of the line';
    throw unexpected(this.file, `line ${this.line}, column ${at - this.#begin + 1}`, found, expected);
  }
}

const LINE_FEED = 10;
