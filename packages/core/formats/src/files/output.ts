import { fstatSync, lstatSync, readlinkSync, realpathSync, renameSync, statSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { madeBeside, unfinishedName } from './unfinished.ts';

export interface Output {
  /** Opens the file itself, for single-file formats. */
  file(): Promise<ByteSink>;
  /** Opens a file in the output directory, which is created when needed; for formats of several files. */
  fileIn(name: string): Promise<ByteSink>;
}

export interface ByteSink {
  /** Writes a piece. Await the promise to wait for a slow disk. */
  write(piece: string | Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export class OutputError extends Error {
  override readonly name = 'OutputError';
  /** The system's name of the error, such as ENOSPC. */
  readonly code: string | undefined;

  constructor(path: string, cause: unknown) {
    const { message, code } = cause as NodeJS.ErrnoException;
    super(`${path === '-' ? 'standard output' : path} cannot be written: ${message}`, { cause });
    this.code = code;
  }
}

/** Mode of a file with a user's data, which other users must not read. An existing file keeps its own mode. */
export const PRIVATE = 0o600;

/** Mode of a file without a user's data, such as a template; the umask still applies. */
export const PUBLIC = 0o666;

export interface WriteOptions {
  /** The mode of new files; {@link PRIVATE} if absent. */
  readonly mode?: number;
  /** False for data that can be regenerated and so need not survive a power failure. */
  readonly isDurable?: boolean;
}

/**
 * Writes a file or directory beside the target and moves it there when complete. The suffix `.gz` compresses the file,
 * and `-` is stdout.
 */
export async function writeTo(
  path: string,
  write: (output: Output) => Promise<void>,
  options: WriteOptions = {},
): Promise<void> {
  try {
    if (path === '-') await write(outputToStream(takeByStandardOutput(), 'standard output'));
    else await replacing(path, write, options);
  } catch (error) {
    const isOfSystem = error instanceof Error && 'syscall' in error;
    throw isOfSystem ? new OutputError(path, error) : error;
  }
}

/** Writes content that is already complete, in the same way as {@link writeTo}. */
export async function writeFileTo(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void> {
  const write = async (output: Output): Promise<void> => {
    const sink = await output.file();
    await sink.write(content);
    await sink.close();
  };
  await writeTo(path, write, options);
}

export const isOccupied = async (path: string): Promise<boolean> => (await readdir(path).catch(() => [])).length > 0;

/** Keeps the written bytes by file name, with '' for a single file. For tests and conversions in memory. */
export function outputToMemory(files: Map<string, Uint8Array>): Output {
  const openPiece = async (name: string): Promise<ByteSink> => {
    const pieces: Uint8Array[] = [];
    return {
      write: async (piece) => void pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece.slice()),
      close: async () => void files.set(name, Buffer.concat(pieces)),
    };
  };
  return { file: () => openPiece(''), fileIn: openPiece };
}

async function replacing(
  path: string,
  write: (output: Output) => Promise<void>,
  { isDurable = true, mode = PRIVATE }: WriteOptions,
): Promise<void> {
  const target = behindLinks(path);
  // Plain stat must not be used, here and below: after it has seen a pipe, Node 20 may load a module a second time.
  const before = statSync(target, { bigint: true, throwIfNoEntry: false });
  // A device or a pipe has no content to lose, and cannot be replaced.
  if (before !== undefined && !before.isFile() && !before.isDirectory()) {
    await writeAt(path, target, write, { flags: 'w', mode, kept: undefined, isSynced: false });
    return;
  }
  const kept = before?.isFile() ? Number(before.mode) : undefined;
  const opening = { flags: 'wx', mode, kept, isSynced: isDurable };
  await madeBeside(target, async (unfinished) => {
    const isDirectory = await writeAt(path, unfinished, write, opening);
    if (isDirectory) await moveDirectory(unfinished, target);
    else await rename(unfinished, target);
    if (isDurable) await synchronise(dirname(target));
  });
}

/** Writes a file or a directory at a given path through a callback; returns whether the result is a directory. */
async function writeAt(
  path: string,
  at: string,
  write: (output: Output) => Promise<void>,
  opening: Omit<Opening, 'isCompressed'>,
): Promise<boolean> {
  const sinks: FileSink[] = [];
  let isDirectory = false;
  const openFile = async (name: string): Promise<ByteSink> => {
    const isCompressed = path.endsWith('.gz') && !isDirectory;
    const sink = await FileSink.open(name, { ...opening, isCompressed });
    sinks.push(sink);
    return sink;
  };
  try {
    await write({
      file: () => openFile(at),
      fileIn: async (name) => {
        isDirectory = true;
        await mkdir(at, { recursive: true });
        return openFile(join(at, name));
      },
    });
    return isDirectory;
  } catch (error) {
    for (const sink of sinks) await sink.abandon();
    throw error;
  }
}

/** Returns the path at which to write a file, so that a link to it stays a link. */
function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const link = lstatSync(path, { throwIfNoEntry: false });
    return link?.isSymbolicLink() === true ? resolve(dirname(path), readlinkSync(path)) : resolve(path);
  }
}

/** Moves a directory to the place of another directory, or of an empty one. */
async function moveDirectory(from: string, to: string): Promise<void> {
  if (statSync(to, { throwIfNoEntry: false }) === undefined) return rename(from, to);
  if (!(await isOccupied(to))) {
    for (const name of await readdir(from)) await rename(join(from, name), join(to, name));
    return rm(from, { recursive: true });
  }
  const old = unfinishedName(to);
  renameSync(to, old);
  try {
    renameSync(from, to);
  } catch (error) {
    renameSync(old, to);
    throw error;
  }
  return rm(old, { recursive: true });
}

async function synchronise(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Not every system can sync a directory. The file itself is on the disk.
  }
}

interface Opening {
  readonly flags: string;
  readonly mode: number;
  /** The mode of the file to be replaced. */
  readonly kept: number | undefined;
  readonly isCompressed: boolean;
  readonly isSynced: boolean;
}

class FileSink implements ByteSink {
  readonly #file: FileHandle;
  readonly #pieces: Pieces;
  readonly #isSynced: boolean;

  private constructor(file: FileHandle, pieces: Pieces, isSynced: boolean) {
    this.#file = file;
    this.#pieces = pieces;
    this.#isSynced = isSynced;
  }

  static async open(path: string, { flags, mode, kept, isCompressed, isSynced }: Opening): Promise<FileSink> {
    const file = await open(path, flags, mode);
    if (kept !== undefined) await file.chmod(kept & 0o777);
    // `write` must not be used, because it may write only a part.
    const take = (bytes: Uint8Array): Promise<void> => file.appendFile(bytes);
    return new FileSink(file, new Pieces(isCompressed ? compressing(take) : { take, end: async () => {} }), isSynced);
  }

  write(piece: string | Uint8Array): Promise<void> {
    return this.#pieces.write(piece);
  }

  async close(): Promise<void> {
    await this.#pieces.end();
    if (this.#isSynced) await this.#file.sync();
    await this.#file.close();
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
  }
}

/** Makes an output that writes one file to a stream and leaves the stream open. */
export function outputToStream(take: Take, name = 'a stream'): Output {
  return {
    file: async () => {
      const pieces = new Pieces({ take, end: async () => {} });
      return { write: (piece) => pieces.write(piece), close: () => pieces.end() };
    },
    fileIn: async () => {
      throw new Error(`This format is a directory of files and cannot be written to ${name}.`);
    },
  };
}

function takeByStandardOutput(): Take {
  const { stdout } = process;
  // Node's file stream does not notice when only part of the text was written.
  if (fstatSync(stdout.fd, { bigint: true }).isFile()) return async (bytes) => writeAll(stdout.fd, bytes);
  return (bytes) =>
    new Promise((done, fail) => {
      stdout.write(bytes, (error) => (error ? fail(error) : done()));
    });
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

/** Takes bytes that must not change afterwards, and resolves when it can take more. */
type Take = (bytes: Uint8Array) => Promise<void>;

interface Taker {
  readonly take: Take;
  end(): Promise<void>;
}

function compressing(take: Take): Taker {
  const gzip = createGzip();
  const done = pipeline(gzip, async (compressed: AsyncIterable<Buffer>) => {
    for await (const bytes of compressed) await take(bytes);
  });
  done.catch(() => {}); // reported by the caller that waits for it
  return {
    take: (bytes) => {
      const taken = new Promise<void>((accept, reject) => {
        gzip.write(bytes, (error) => (error ? reject(error) : accept()));
      });
      // The disk's error has precedence: the stream knows only that it was ended.
      return Promise.race([taken.catch(() => done), done]);
    },
    end: () => {
      gzip.end();
      return done;
    },
  };
}

/** Collects small pieces of text, and passes them on in large pieces. */
class Pieces {
  readonly #taker: Taker;
  #buffered: string[] = [];
  #length = 0;

  constructor(taker: Taker) {
    this.#taker = taker;
  }

  async write(piece: string | Uint8Array): Promise<void> {
    if (typeof piece !== 'string') {
      await this.#flush();
      return this.#taker.take(piece);
    }
    this.#buffered.push(piece);
    this.#length += piece.length;
    return this.#length < BUFFERED_CHARACTERS ? undefined : this.#flush();
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#taker.end();
  }

  async #flush(): Promise<void> {
    if (this.#length === 0) return;
    const text = this.#buffered.join('');
    this.#buffered = [];
    this.#length = 0;
    await this.#taker.take(Buffer.from(text));
  }
}

const BUFFERED_CHARACTERS = 1 << 16;
