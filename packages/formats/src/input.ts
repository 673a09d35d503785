import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { FormatError, mismatch } from './errors.ts';

/** What a reader is given: one stream of bytes, or the files of a directory. */
export type Input = ByteStream | Directory;

/** The bytes of one file, decompressed, in chunks; they can be read once. */
export interface ByteStream {
  readonly kind: 'stream';
  /** For messages: the path as the user gave it, or `standard input`. */
  readonly name: string;
  /** The first bytes, at most HEAD_BYTES, for detection; reading does not lose them. */
  readonly head: Uint8Array;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The share of the file that has been read, 0 where its size is not known. */
  readonly share: () => number;
}

export interface Directory {
  readonly kind: 'directory';
  readonly name: string;
  /** Names of the regular files in it, in the order of their first number, then by name; `T2.log` before `T10.log`. */
  readonly files: readonly string[];
  open(file: string): Promise<ByteStream>;
}

export interface InputOptions {
  /** Told how many bytes of how many (compressed) were read so far; the total is 0 where it is not known. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Opens a path, or standard input for `-`. */
export async function openInput(path: string, options: InputOptions = {}): Promise<Input> {
  if (path === '-') return openStream('standard input', process.stdin, 0, options);
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new FormatError(path, null, explainSystemError(error));
  });
  if (info.isDirectory()) return openDirectory(path, options);
  if (!info.isFile() && !info.isFIFO()) {
    throw new FormatError(
      path,
      null,
      mismatch('neither a file nor a directory', 'a history file or a directory of logs'),
    );
  }
  return openStream(path, createReadStream(path, { highWaterMark: CHUNK_BYTES }), info.size, options);
}

async function openDirectory(path: string, options: InputOptions): Promise<Directory> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new FormatError(path, null, explainSystemError(error));
  });
  const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map((entry) => entry.name);
  return {
    kind: 'directory',
    name: path,
    files: files.toSorted(byNumberThenName),
    open: async (file) => {
      const input = await openInput(join(path, file), options);
      if (input.kind === 'stream') return input;
      throw new FormatError(join(path, file), null, mismatch('a directory', 'a log file'));
    },
  };
}

/** Input that is in memory already, for tests and for callers that have the bytes. */
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

/** A directory that is in memory, for tests. */
export const directoryOfBytes = (name: string, files: Readonly<Record<string, Uint8Array | string>>): Directory => ({
  kind: 'directory',
  name,
  files: Object.keys(files).toSorted(byNumberThenName),
  open: async (file) => inputOfBytes(join(name, file), files[file]!),
});

async function openStream(
  name: string,
  source: AsyncIterable<Uint8Array>,
  size: number,
  { onProgress }: InputOptions,
): Promise<ByteStream> {
  let done = 0;
  const counted = (async function* () {
    for await (const chunk of source) {
      done += chunk.length;
      yield chunk;
      onProgress?.(done, size);
    }
  })();
  const share = (): number => (size > 0 ? done / size : 0);
  const iterator = guarded(name, counted)[Symbol.asyncIterator]();
  const first = await takeHead(iterator, GZIP_MAGIC.length);
  if (!GZIP_MAGIC.every((byte, i) => first.head[i] === byte)) return withHead(name, first, share);

  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  void pump(first.chunks, gunzip);
  return withHead(name, await takeHead(guarded(name, gunzip)[Symbol.asyncIterator](), HEAD_BYTES), share);
}

const withHead = async (name: string, taken: Taken, share: () => number): Promise<ByteStream> => {
  const { head, chunks } = taken.head.length < HEAD_BYTES ? await takeHead(taken.chunks, HEAD_BYTES) : taken;
  return { kind: 'stream', name, head: head.subarray(0, HEAD_BYTES), chunks, share };
};

interface Taken {
  readonly head: Uint8Array;
  readonly chunks: AsyncIterableIterator<Uint8Array>;
}

/** Reads until `bytes` bytes are there (or the end), and gives the stream back as if nothing had been read. */
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
  return { head: taken.length === 1 ? taken[0]! : Buffer.concat(taken), chunks };
}

async function pump(chunks: AsyncIterable<Uint8Array>, gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (!gunzip.write(chunk)) await new Promise((resolve) => gunzip.once('drain', resolve).once('close', resolve));
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error as Error);
  }
}

/** Errors of the system and of gzip become format errors with the file's name. */
async function* guarded(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new FormatError(name, null, explainSystemError(error as NodeJS.ErrnoException));
  }
}

function explainSystemError(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return 'there is no such file or directory';
    case 'EACCES':
      return 'permission to read it is missing';
    case 'EISDIR':
      return mismatch('a directory', 'a file');
    default:
      return error.code?.startsWith('Z_') ? `the gzip data is damaged (${error.message})` : error.message;
  }
}

export function byNumberThenName(a: string, b: string): number {
  const numberIn = (name: string): number => Number(/\d+/.exec(basename(name))?.[0] ?? Number.POSITIVE_INFINITY);
  const [x, y] = [numberIn(a), numberIn(b)];
  if (x !== y) return x < y ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

export const HEAD_BYTES = 1 << 16;
export const CHUNK_BYTES = 1 << 20;
const GZIP_MAGIC = [0x1f, 0x8b];
