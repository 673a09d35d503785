import { createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { finished } from 'node:stream/promises';

/** Where a writer puts its bytes. */
export interface Output {
  /** The file itself; for formats that are one file. */
  file(): Promise<ByteSink>;
  /** One file of a directory, which is made when needed; for formats that are several. */
  fileIn(name: string): Promise<ByteSink>;
}

export interface ByteSink {
  /** Takes a piece; await it, so that a slow disk is not outrun. */
  write(piece: string | Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** A path that ends in `.gz` is compressed; `-` is standard output. */
export function outputTo(path: string): Output {
  return {
    file: async () => (path === '-' ? sinkTo(process.stdout, false) : openSink(path)),
    fileIn: async (name) => {
      if (path === '-')
        throw new Error('This format is a directory of files and cannot be written to standard output.');
      await mkdir(path, { recursive: true });
      return openSink(join(path, name));
    },
  };
}

/** Whether writing a directory there would mix with files that are there already. */
export const isOccupied = async (path: string): Promise<boolean> => (await readdir(path).catch(() => [])).length > 0;

/** Keeps what is written, by file name; '' is the single file. For tests and conversions in memory. */
export function outputToMemory(files: Map<string, Uint8Array>): Output {
  const open = async (name: string): Promise<ByteSink> => {
    const pieces: Uint8Array[] = [];
    return {
      write: async (piece) => void pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece.slice()),
      close: async () => void files.set(name, Buffer.concat(pieces)),
    };
  };
  return { file: () => open(''), fileIn: open };
}

function openSink(path: string): ByteSink {
  const file = createWriteStream(path);
  if (!path.endsWith('.gz')) return sinkTo(file, true);
  const gzip = createGzip();
  gzip.pipe(file);
  return sinkTo(gzip, true, file);
}

function sinkTo(stream: Writable, closes: boolean, last: Writable = stream): ByteSink {
  const done = closes ? finished(last) : Promise.resolve();
  done.catch(() => {}); // reported by write or close
  let buffered: string[] = [];
  let bufferedLength = 0;
  const flush = async (): Promise<void> => {
    if (bufferedLength === 0) return;
    const text = buffered.join('');
    buffered = [];
    bufferedLength = 0;
    await push(text);
  };
  const push = async (piece: string | Uint8Array): Promise<void> => {
    if (!stream.write(piece)) await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), done]);
  };
  return {
    write: async (piece) => {
      if (typeof piece !== 'string') {
        await flush();
        return push(piece);
      }
      buffered.push(piece);
      bufferedLength += piece.length;
      return bufferedLength < BUFFERED_CHARACTERS ? undefined : flush();
    },
    close: async () => {
      await flush();
      if (closes) stream.end();
      await done;
    },
  };
}

const BUFFERED_CHARACTERS = 1 << 16;
