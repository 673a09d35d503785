/** Turns files from the browser into a document: detects the format by content, and unpacks gzip while reading. */

import { plural } from 'isolab/skin';
import { type ByteStream, directoryOfBytes } from 'isolab/formats';
import { FormatError, open, type Opened, type OpenOptions } from 'isolab/check';
import type { Given } from './protocol.ts';

/** Called with the number of bytes read and the total. */
export type OnBytes = (done: number, total: number) => void;

export async function openFiles({ files, format, ...reading }: Given, onBytes: OnBytes): Promise<Opened> {
  const [file] = files;
  if (file === undefined) throw new FormatError('the history', null, 'found no file, expected one');
  const asked: OpenOptions = format === 'auto' ? reading : { ...reading, format };
  if (files.length > 1 || isLog(file)) return open(await directoryOf(files, onBytes), asked);
  return open(await streamOf(file, onBytes), asked);
}

/** Tests for one log of a directory with a log per session. */
const isLog = ({ name }: File): boolean => /^[TJ]\d+\.log$/.test(name);

async function directoryOf(files: readonly File[], onBytes: OnBytes): Promise<ReturnType<typeof directoryOfBytes>> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let before = 0;
  const contents: Record<string, Uint8Array> = {};
  for (const file of files) {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const start = before;
    for await (const piece of bytesOf(file, (done) => onBytes(start + done, total))) pieces.push(piece);
    contents[file.name] = new Uint8Array(await new Blob(pieces).arrayBuffer());
    before += file.size;
  }
  return directoryOfBytes(files.length === 1 ? files[0]!.name : plural(files.length, 'file'), contents);
}

async function streamOf(file: File, onBytes: OnBytes): Promise<ByteStream> {
  let share = 0;
  const bytes = bytesOf(file, (done, total) => {
    share = total > 0 ? done / total : 1;
    onBytes(done, total);
  });
  const taken: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const { value, done } = await bytes.next();
    if (done === true) break;
    taken.push(value);
    length += value.length;
  }
  const head = new Uint8Array(await new Blob(taken).arrayBuffer()).subarray(0, HEAD_BYTES);
  const chunks = (async function* () {
    yield* taken.splice(0);
    yield* bytes;
  })();
  return { kind: 'stream', name: file.name, head, chunks, share: () => share };
}

/** Yields the decompressed bytes of a file, and reports the number of compressed bytes read. */
async function* bytesOf(file: File, onBytes: OnBytes): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const magic = new Uint8Array(await file.slice(0, GZIP_MAGIC.length).arrayBuffer());
  const isGzip = GZIP_MAGIC.every((byte, i) => magic[i] === byte);
  let done = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        done += chunk.length;
        onBytes(done, file.size);
        controller.enqueue(chunk);
      },
    }),
  );
  const reader = (isGzip ? counted.pipeThrough(new DecompressionStream('gzip')) : counted).getReader();
  try {
    for (;;) {
      const next = await reader.read();
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FormatError(file.name, null, isGzip ? `the gzip data is damaged (${reason})` : reason);
  } finally {
    await reader.cancel().catch(() => {}); // of a stream that has already failed
  }
}

/** Number of bytes that @isolab/formats reads to detect a format. */
const HEAD_BYTES = 1 << 16;
const GZIP_MAGIC = [0x1f, 0x8b];
