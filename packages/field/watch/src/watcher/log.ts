import {
  closeSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { KeptLines, readPart } from './kept-lines.ts';
import { Lines, isMark } from '../stream/lines.ts';
import { WatchError, atFile, explained, makeFolder } from '../stream/errors.ts';
import type { WatchLog } from './watch-options.ts';

/** One file of a log, named after the number of its first line. */
interface Segment {
  readonly path: string;
  readonly first: number;
  bytes: number;
  lines: number;
  /** Starts of lines, at regular distances. */
  readonly offsets: number[];
}

/**
 * A log in a folder: segments that together form a history in isolab's own format. Lines are written before they are
 * judged; a line that was cut off when the process was killed is removed.
 */
export class FolderLog implements WatchLog {
  readonly #folder: string;
  readonly #segments: Segment[] = [];
  #file = -1;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Number of bytes written so far, and how many of them are on disk. */
  #written = 0;
  #synced = 0;
  readonly #kept: KeptLines;
  readonly #segmentBytes: number;

  constructor(folder: string, segmentBytes = SEGMENT_BYTES) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
    makeFolder(folder);
    const names = readdirSync(folder)
      .filter((name) => SEGMENT.test(name))
      .toSorted();
    for (const name of names) this.#segments.push(scan(join(folder, name), Number(SEGMENT.exec(name)![1])));
    this.#kept = new KeptLines(join(folder, 'kept.txt'));
    const last = this.#segments.at(-1);
    if (last === undefined) return;
    this.#file = openSync(last.path, 'r+');
    ftruncateSync(this.#file, last.bytes);
  }

  get last(): number {
    const segment = this.#segments.at(-1);
    return segment === undefined ? 0 : segment.first + segment.lines - 1;
  }

  get isWhole(): boolean {
    return this.#segments.length === 0 || this.#segments[0].first === 1;
  }

  /** The first line is the header. */
  get transactions(): number {
    return Math.max(0, this.last - 1);
  }

  append(bytes: Uint8Array, from: number, to: number, number: number): void {
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.bytes >= this.#segmentBytes) segment = this.#begin(number);
    if (segment.lines % INDEXED === 0) segment.offsets.push(segment.bytes);
    segment.lines++;
    segment.bytes += to - from;
    this.#pending.push(bytes.slice(from, to));
    this.#pendingBytes += to - from;
    if (this.#pendingBytes >= BUFFER_BYTES) this.flush();
  }

  /** Passes appended bytes to the operating system. */
  flush(): void {
    if (this.#pending.length === 0) return;
    const bytes = Buffer.concat(this.#pending);
    const segment = this.#segments.at(-1)!;
    let at = segment.bytes - bytes.length;
    for (let written = 0; written < bytes.length;) {
      const count = atFile(segment.path, () => writeSync(this.#file, bytes, written, bytes.length - written, at));
      written += count;
      at += count;
      this.#written += count;
    }
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  /** Forces all appended bytes to disk. */
  async sync(): Promise<void> {
    this.flush();
    const [file, written] = [this.#file, this.#written];
    if (this.#synced >= written) return;
    try {
      await toDisk(file);
    } catch (error) {
      if (this.#synced < written) throw explained(this.#folder, error); // otherwise the segment was synced and closed in the meantime
    }
    this.#synced = Math.max(this.#synced, written);
  }

  close(): void {
    this.flush();
    if (this.#file >= 0 && this.#synced < this.#written) atFile(this.#folder, () => fsyncSync(this.#file));
    this.#synced = this.#written;
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
  }

  chunks(after = 1): Iterable<Lines> {
    return this.#read(after, true);
  }

  /** Returns the lines after the given number, one segment at a time. */
  linesAfter(number: number): Iterable<Lines> {
    return this.#read(number, false);
  }

  *#read(number: number, isMuted: boolean): Iterable<Lines> {
    this.flush();
    const oldest = this.#segments[0]?.first ?? 1;
    if (number < oldest - 1)
      throw new WatchError(
        `The log in ${this.#folder} begins with line ${oldest}, expected line ${number + 1}, which was deleted.`,
      );
    for (const { path, first, lines: count } of this.#segments) {
      if (first + count - 1 <= number) continue;
      const bytes = readFileSync(path);
      const lines = new Lines();
      for (let at = 0, line = first; at < bytes.length; line++) {
        const end = bytes.indexOf(LINE_FEED, at) + 1;
        if (line > number && !(isMuted && isMark(bytes, at))) lines.add(bytes, at, end, line, 0);
        at = end;
      }
      yield lines;
    }
  }

  line(number: number): Uint8Array {
    this.flush();
    const segment = this.#segments.findLast(({ first }) => first <= number);
    if (segment === undefined) {
      const kept = this.#kept.line(number);
      if (kept !== null) return kept;
    }
    if (segment === undefined || number >= segment.first + segment.lines)
      throw new WatchError(`The log in ${this.#folder} has no line ${number}; it ends with line ${this.last}.`);
    const index = Math.floor((number - segment.first) / INDEXED);
    const from = segment.offsets[index]!;
    const bytes = readPart(segment.path, from, (segment.offsets[index + 1] ?? segment.bytes) - from);
    let at = 0;
    for (let skip = (number - segment.first) % INDEXED; skip > 0; skip--) at = bytes.indexOf(LINE_FEED, at) + 1;
    return bytes.subarray(at, bytes.indexOf(LINE_FEED, at) + 1);
  }

  /**
   * Deletes the oldest segments while the log is larger than `keep` permits, up to the first needed line. Single needed
   * lines before that line are kept in a separate file.
   */
  trim(keep: Keep, needed: { readonly from: number; readonly lines: ReadonlySet<number> }, now: number): void {
    let bytes = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
    let count = 0;
    while (count + 1 < this.#segments.length) {
      const { path, first, lines, bytes: size } = this.#segments[count];
      const isTooMuch = bytes > keep.bytes || statSync(path).mtimeMs + keep.ms < now;
      if (!isTooMuch || first + lines > needed.from) break;
      bytes -= size;
      count++;
    }
    if (count === 0) return;
    const before = this.#segments[count].first;
    const numbers = [...needed.lines].filter((number) => number < before).toSorted((a, b) => a - b);
    this.#kept.replace(numbers, (number) => this.line(number));
    for (const { path } of this.#segments.splice(0, count)) unlinkSync(path);
  }

  #begin(first: number): Segment {
    if (this.#file >= 0) this.close();
    const path = join(this.#folder, `${String(first).padStart(12, '0')}.jsonl`);
    this.#file = atFile(path, () => openSync(path, 'w+', 0o600));
    syncFolder(this.#folder);
    const segment: Segment = { path, first, bytes: 0, lines: 0, offsets: [] };
    this.#segments.push(segment);
    return segment;
  }
}

/** Reads a segment, and removes a line that was cut off. */
function scan(path: string, first: number): Segment {
  const segment: Segment = { path, first, bytes: 0, lines: 0, offsets: [] };
  const bytes = readFileSync(path);
  for (let end = bytes.indexOf(LINE_FEED) + 1; end > 0; end = bytes.indexOf(LINE_FEED, end) + 1) {
    if (segment.lines % INDEXED === 0) segment.offsets.push(segment.bytes);
    segment.lines++;
    segment.bytes = end;
  }
  return segment;
}

export interface Keep {
  readonly bytes: number;
  readonly ms: number;
}

const toDisk = promisify(fsync);

/** Makes a file's directory entry survive a power failure, on systems that can open folders. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    atFile(path, () => fsyncSync(folder));
  } finally {
    closeSync(folder);
  }
}

const SEGMENT = /^(\d{12})\.jsonl$/;
const SEGMENT_BYTES = 1 << 26;
const BUFFER_BYTES = 1 << 18;
const INDEXED = 256;
const LINE_FEED = 10;
