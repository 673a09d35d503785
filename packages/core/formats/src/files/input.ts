import { type BigIntStats, closeSync, createReadStream, openSync, readSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Gunzip } from 'node:zlib';
import { Deadline } from './deadline.ts';
import { FormatError, mismatch, ReadingTimeout, unexpected } from './errors.ts';

/** Input of a reader: one stream of bytes, or the files of a directory. */
export type Input = ByteStream | Directory;

/** The bytes of one file, decompressed, in chunks. They can be read only once. */
export interface ByteStream {
  readonly kind: 'stream';
  /** Name for messages: the path that the user gave, or `standard input`. */
  readonly name: string;
  /** The first bytes, at most HEAD_BYTES, for format detection; they are read again with the rest. */
  readonly head: Uint8Array;
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * Reads the next bytes of a file on disk without waiting: fills `room` and returns the number of bytes, 0 at the end.
   * A caller must not mix this with iteration; {@link close} is for callers that stop early.
   */
  readonly readInto?: (room: Uint8Array) => number;
  readonly close?: () => void;
  /** The file on disk, if its bytes are those of the stream. */
  readonly file?: FileOnDisk;
  /** Returns the share of the file that has been read, 0 if its size is unknown. */
  readonly share: () => number;
}

export interface FileOnDisk {
  readonly path: string;
  readonly size: number;
}

export interface Directory {
  readonly kind: 'directory';
  readonly name: string;
  /**
   * Names of the logs, by number and then by name. Logs that are not regular files are included, so that readers refuse
   * them.
   */
  readonly files: readonly string[];
  open(file: string): Promise<ByteStream>;
}

export interface InputOptions {
  /** Called with the number of (compressed) bytes read so far and their total, 0 if unknown. */
  readonly onProgress?: (done: number, total: number) => void;
  /**
   * Time limit, after which reading ends with a ReadingTimeout. It is checked about once per megabyte, and while a pipe
   * is silent.
   */
  readonly timeMs?: number;
}

/** Opens a path, or standard input for `-`. */
export async function openInput(path: string, options: InputOptions = {}): Promise<Input> {
  if (path === '') throw unexpected('the path', null, 'an empty text', 'a file, a pipe or a directory of logs');
  if (path === '-') return openStream('standard input', process.stdin, 0, options);
  const info = inSystem(path, () => statOf(path));
  if (info.isDirectory()) return openDirectory(path, options);
  if (info.isFIFO()) return openStream(path, createReadStream(path, { highWaterMark: CHUNK_BYTES }), 0, options);
  if (info.isFile()) return openFile(path, info, options);
  throw unexpected(path, null, 'neither a file nor a directory', 'a file, a pipe or a directory of logs');
}

/**
 * Plain stat must not be used: after it has seen a pipe, Node 20 may load a module a second time through another path.
 */
const statOf = (path: string): BigIntStats => statSync(path, { bigint: true });

function openDirectory(path: string, options: InputOptions): Directory {
  const entries = inSystem(path, () => readdirSync(path, { withFileTypes: true }));
  const files = entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink() || ANY_LOG.test(entry.name))
    .map((entry) => entry.name);
  return {
    kind: 'directory',
    name: path,
    files: files.toSorted(byNumberThenName),
    open: async (file) => {
      const log = join(path, file);
      const info = inSystem(log, () => statOf(log));
      if (info.isFile()) return openFile(log, info, options);
      throw unexpected(log, null, kindOf(info), 'a log file');
    },
  };
}

const kindOf = (info: BigIntStats): string =>
  info.isDirectory() ? 'a directory' : info.isFIFO() ? 'a named pipe' : info.isSocket() ? 'a socket' : 'a device';

/** Reads files synchronously: a read from the system's cache ends before a stream would have started. */
function openFile(path: string, { size: bytes }: BigIntStats, options: InputOptions): ByteStream | Promise<ByteStream> {
  const size = Number(bytes);
  const file = new OpenFile(path, size, options);
  const head = file.readHead();
  if (isGzip(head)) {
    file.close();
    return openStream(path, createReadStream(path, { highWaterMark: CHUNK_BYTES }), size, options);
  }
  return {
    kind: 'stream',
    name: path,
    head,
    chunks: file.chunks(),
    readInto: (room) => file.readInto(room),
    close: () => file.close(),
    file: { path, size },
    share: () => file.share,
  };
}

class OpenFile {
  readonly #path: string;
  readonly #size: number;
  readonly #onProgress: InputOptions['onProgress'];
  readonly #deadline: Deadline;
  #descriptor: number;
  #head = new Uint8Array(HEAD_BYTES);
  #headGiven = false;
  #done = 0;

  constructor(path: string, size: number, options: InputOptions) {
    this.#path = path;
    this.#size = size;
    this.#onProgress = options.onProgress;
    this.#deadline = new Deadline(path, options);
    this.#descriptor = inSystem(path, () => openSync(path, 'r'));
  }

  get share(): number {
    return this.#size > 0 ? this.#done / this.#size : 0;
  }

  readHead(): Uint8Array {
    let length = 0;
    for (let read = -1; read !== 0 && length < HEAD_BYTES; length += read)
      read = this.#read(this.#head.subarray(length));
    return (this.#head = this.#head.subarray(0, length));
  }

  readInto(room: Uint8Array): number {
    let filled = 0;
    if (!this.#headGiven) {
      filled = Math.min(room.length, this.#head.length);
      room.set(this.#head.subarray(0, filled));
      this.#head = this.#head.subarray(filled);
      this.#headGiven = this.#head.length === 0;
    }
    if (filled === 0) filled = this.#read(room);
    this.#done += filled;
    if (filled === 0) this.close();
    else {
      if (this.#done >= CHUNK_BYTES) this.#deadline.check();
      this.#onProgress?.(this.#done, this.#size);
    }
    return filled;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = new Uint8Array(CHUNK_BYTES);
        const filled = this.readInto(chunk);
        if (filled === 0) return;
        yield chunk.subarray(0, filled);
      }
    } finally {
      this.close();
    }
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor);
    this.#descriptor = -1;
  }

  #read(room: Uint8Array): number {
    if (this.#descriptor < 0 || room.length === 0) return 0;
    try {
      return readSync(this.#descriptor, room);
    } catch (error) {
      this.close();
      throw new FormatError(this.#path, null, explainSystemError(error as NodeJS.ErrnoException));
    }
  }
}

/** Makes input from bytes in memory, for tests and for callers that already have the bytes. */
export const inputOfBytes = (name: string, bytes: Uint8Array | string): ByteStream => {
  const all = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  return {
    kind: 'stream',
    name,
    head: all.subarray(0, HEAD_BYTES),
    chunks: (async function* () {
      if (all.length > 0) yield all;
    })(),
    share: () => 1,
  };
};

/** Makes a directory in memory, for tests. */
export const directoryOfBytes = (name: string, files: Readonly<Record<string, Uint8Array | string>>): Directory => ({
  kind: 'directory',
  name,
  files: Object.keys(files).toSorted(byNumberThenName),
  open: async (file) => inputOfBytes(join(name, file), files[file]!),
});

async function openStream(name: string, source: Readable, size: number, options: InputOptions): Promise<ByteStream> {
  const { onProgress } = options;
  const deadline = new Deadline(name, options);
  let done = 0;
  const counted = (async function* () {
    const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
      for (;;) {
        const next = await deadline.wait(chunks.next());
        if (next.done === true) return;
        done += next.value.length;
        yield plain(next.value);
        if (done >= CHUNK_BYTES) deadline.check();
        onProgress?.(done, size);
      }
    } finally {
      source.destroy();
    }
  })();
  const share = (): number => (size > 0 ? done / size : 0);
  const iterator = guarded(name, counted)[Symbol.asyncIterator]();
  const first = await takeHead(iterator, GZIP_MAGIC.length);
  if (!isGzip(first.head)) return withHead(name, first, share);

  const { createGunzip } = await import('node:zlib');
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  void pump(first.chunks, gunzip);
  return withHead(
    name,
    await takeHead(guarded(name, plainly(gunzip, deadline))[Symbol.asyncIterator](), HEAD_BYTES),
    share,
  );
}

const isGzip = (head: Uint8Array): boolean => GZIP_MAGIC.every((byte, i) => head[i] === byte);

/**
 * Converts a Buffer to a plain array: readers are compiled for one kind of array, and a second kind would slow them
 * down.
 */
const plain = (chunk: Uint8Array): Uint8Array => new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);

async function* plainly(chunks: AsyncIterable<Uint8Array>, deadline: Deadline): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield plain(chunk);
    deadline.check();
  }
}

const withHead = async (name: string, taken: Taken, share: () => number): Promise<ByteStream> => {
  const { head, chunks } = taken.head.length < HEAD_BYTES ? await takeHead(taken.chunks, HEAD_BYTES) : taken;
  return { kind: 'stream', name, head: head.subarray(0, HEAD_BYTES), chunks, share };
};

interface Taken {
  readonly head: Uint8Array;
  readonly chunks: AsyncIterableIterator<Uint8Array>;
}

/** Reads until `bytes` bytes have arrived (or the end), and returns the stream as if nothing had been read. */
async function takeHead(iterator: AsyncIterator<Uint8Array>, bytes: number): Promise<Taken> {
  const taken: Uint8Array[] = [];
  let length = 0;
  while (length < bytes) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    taken.push(value);
    length += value.length;
  }
  const chunks = (async function* () {
    yield* taken.splice(0);
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  return { head: taken.length === 1 ? taken[0]! : plain(Buffer.concat(taken)), chunks };
}

async function pump(chunks: AsyncIterable<Uint8Array>, gunzip: Gunzip): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (!gunzip.write(chunk)) await new Promise((resolve) => gunzip.once('drain', resolve).once('close', resolve));
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error as Error);
  }
}

/** Turns errors of the system and of gzip into format errors with the file's name. */
async function* guarded(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof FormatError || error instanceof ReadingTimeout) throw error;
    throw new FormatError(name, null, explainSystemError(error as NodeJS.ErrnoException));
  }
}

function inSystem<Result>(path: string, call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    throw new FormatError(path, null, explainSystemError(error as NodeJS.ErrnoException));
  }
}

/** Explains in a few words why the system refused a file. */
export function explainSystemError(error: Error & { readonly code?: string | undefined }): string {
  switch (error.code) {
    case 'ENOENT':
      return 'no such file or directory';
    case 'EACCES':
      return 'permission denied';
    case 'EISDIR':
      return mismatch('a directory', 'a file');
    default:
      return error.code?.startsWith('Z_') ? `the gzip data is damaged (${error.message})` : error.message;
  }
}

function byNumberThenName(a: string, b: string): number {
  const numberIn = (name: string): number => Number(/\d+/.exec(basename(name))?.[0] ?? Number.POSITIVE_INFINITY);
  const [x, y] = [numberIn(a), numberIn(b)];
  if (x !== y) return x < y ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const HEAD_BYTES = 1 << 16;
const CHUNK_BYTES = 1 << 20;
export const ANY_LOG = /\.log(\.gz)?$/;
const GZIP_MAGIC = [0x1f, 0x8b];
