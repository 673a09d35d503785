import { unexpected } from './errors.ts';
import type { ByteStream } from './input.ts';

/**
 * Reads whole records of `bytes[start, end)`, without keeping references to the bytes, and returns the start of the
 * first incomplete record.
 */
export type ReadRecords = (bytes: Uint8Array, start: number, end: number, last: boolean) => number;

/** Passes a stream to a record reader in windows. A record that does not fit is carried over to the next window. */
export async function readWindows(
  stream: ByteStream,
  readRecords: ReadRecords,
  longestRecord = LONGEST_RECORD,
): Promise<void> {
  const window = new Window(stream.name, readRecords, longestRecord);
  if (stream.readInto) {
    try {
      for (let filled = -1; filled !== 0;) {
        filled = stream.readInto(window.room());
        if (filled > 0) window.read(filled);
      }
      window.finish();
    } finally {
      stream.close?.();
    }
  } else {
    for await (const chunk of stream.chunks) window.readChunk(chunk);
    window.finish();
  }
}

class Window {
  readonly #name: string;
  readonly #readRecords: ReadRecords;
  readonly #longestRecord: number;
  #bytes = new Uint8Array(0);
  #start = 0; // start of the carried-over bytes
  #end = 0;
  #readTo = 0; // bytes of the stream in earlier windows
  readonly #blanks: BlankRun;

  constructor(name: string, readRecords: ReadRecords, longestRecord: number) {
    this.#name = name;
    this.#readRecords = readRecords;
    this.#longestRecord = longestRecord;
    this.#blanks = new BlankRun(name);
  }

  /** Returns room for the next bytes, after the carried-over bytes: for `needed` bytes, or for half a window or more. */
  room(needed?: number): Uint8Array {
    const carried = this.#end - this.#start;
    const least = needed ?? WINDOW_BYTES / 2;
    if (this.#bytes.length - carried < least) {
      // Doubles the size each time, so that a long record is not moved once per window.
      const bytes = new Uint8Array(Math.max(carried + least, 2 * carried, needed === undefined ? WINDOW_BYTES : 0));
      bytes.set(this.#bytes.subarray(this.#start, this.#end));
      this.#bytes = bytes;
    } else if (this.#start > 0) this.#bytes.copyWithin(0, this.#start, this.#end);
    this.#start = 0;
    this.#end = carried;
    return this.#bytes.subarray(carried);
  }

  /** Lets the reader continue after `filled` more bytes have arrived. */
  read(filled: number): void {
    const carried = this.#end - this.#start;
    if (carried > this.#longestRecord) {
      throw unexpected(
        this.#name,
        `byte ${this.#readTo}`,
        `a record (perhaps a line) of more than ${carried} bytes`,
        `at most ${this.#longestRecord}; is this the right format?`,
      );
    }
    this.#blanks.add(this.#bytes, this.#end, this.#end + filled);
    this.#end += filled;
    this.#consume(this.#readRecords(this.#bytes, this.#start, this.#end, false));
  }

  /** Reads a chunk of bytes from another buffer, in place if nothing is carried over. */
  readChunk(chunk: Uint8Array): void {
    if (this.#start < this.#end) {
      this.room(chunk.length).set(chunk);
      this.read(chunk.length);
      return;
    }
    this.#blanks.add(chunk, 0, chunk.length);
    const consumed = this.#readRecords(chunk, 0, chunk.length, false);
    this.#readTo += consumed;
    this.room(chunk.length - consumed).set(chunk.subarray(consumed));
    this.#end += chunk.length - consumed;
  }

  finish(): void {
    this.#consume(this.#readRecords(this.#bytes, this.#start, this.#end, true));
    if (this.#start !== this.#end)
      throw new Error(`A record reader left ${this.#end - this.#start} bytes at the end of ${this.#name}.`);
  }

  #consume(to: number): void {
    this.#readTo += to - this.#start;
    this.#start = to;
  }
}

/** Counts consecutive blank bytes: gigabytes of blanks are a mistake, and would take minutes to read. */
class BlankRun {
  readonly #name: string;
  #length = 0;

  constructor(name: string) {
    this.#name = name;
  }

  add(bytes: Uint8Array, from: number, to: number): void {
    let blankFrom = to;
    while (blankFrom > from && isBlank(bytes[blankFrom - 1])) blankFrom--;
    this.#length = blankFrom === from ? this.#length + to - from : to - blankFrom;
    if (this.#length <= MOST_BLANK) return;
    throw unexpected(
      this.#name,
      null,
      `more than ${MOST_BLANK} consecutive bytes of blank lines or spaces`,
      'a history',
    );
  }
}

const isBlank = (byte: number): boolean => byte === LINE_FEED || byte === 0x20 || byte === 0x0d || byte === 0x09;

/**
 * Passes whole lines to a reader that returns nothing: `start` is at the first line, `end` after the last line feed.
 */
export function readLineWindows(
  stream: ByteStream,
  readLines: (bytes: Uint8Array, start: number, end: number) => void,
  longestLine = LONGEST_RECORD,
): Promise<void> {
  let unfinished = 0; // bytes of the last line that are known to contain no line feed
  const readWholeLines: ReadRecords = (bytes, start, end, last) => {
    const fresh = start + unfinished;
    const feed = last ? end - 1 : lastFeed(bytes, fresh, end);
    const whole = feed < fresh && !last ? start : feed + 1;
    unfinished = end - whole;
    if (whole > start) readLines(bytes, start, whole);
    return whole;
  };
  return readWindows(stream, readWholeLines, longestLine);
}

/** Returns the index of the last line feed, or `from - 1`. The built-in search takes twenty times as long. */
function lastFeed(bytes: Uint8Array, from: number, to: number): number {
  let at = to - 1;
  while (at >= from && bytes[at] !== LINE_FEED) at--;
  return at;
}

/** Reads all bytes of a stream, for formats in which a file is one document. */
export async function readDocument(stream: ByteStream, longest = LONGEST_DOCUMENT): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const blanks = new BlankRun(stream.name);
  let length = 0;
  for await (const chunk of stream.chunks) {
    blanks.add(chunk, 0, chunk.length);
    length += chunk.length;
    if (length > longest) {
      throw unexpected(
        stream.name,
        null,
        `a document of more than ${longest} bytes`,
        'a smaller document; convert it to a line-based format',
      );
    }
    chunks.push(chunk);
  }
  if (chunks.length === 1) return chunks[0]!;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

const LINE_FEED = 10;
/** Half a megabyte stays in the processor's cache. */
const WINDOW_BYTES = 1 << 19;
/** Longer than the longest line of a real history. */
const LONGEST_RECORD = 1 << 26;
const MOST_BLANK = 1 << 24;
const LONGEST_DOCUMENT = 1 << 28;
