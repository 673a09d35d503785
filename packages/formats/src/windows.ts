import { FormatError, mismatch } from './errors.ts';
import type { ByteStream } from './input.ts';

/**
 * Reads as many whole records as `bytes[start, end)` holds and returns where the first unfinished one begins. `last`
 * says that nothing follows, so that what is unfinished then is an error, which the reader reports itself.
 */
export type ReadRecords = (bytes: Uint8Array, start: number, end: number, last: boolean) => number;

/** Hands a stream to a record reader in windows; a record that does not fit is carried over to the next one. */
export async function readWindows(
  stream: ByteStream,
  readRecords: ReadRecords,
  longestRecord = LONGEST_RECORD,
): Promise<void> {
  let window: Uint8Array = new Uint8Array(0);
  let start = 0;
  let end = 0;
  let readTo = 0; // bytes of the stream in earlier windows
  for await (const chunk of stream.chunks) {
    if (start === end) {
      // Nothing is carried over: read in place.
      window = chunk;
      start = 0;
      end = chunk.length;
    } else {
      const carried = end - start;
      if (carried > longestRecord) {
        throw new FormatError(
          stream.name,
          `byte ${readTo}`,
          mismatch(`a record of more than ${carried} bytes`, `at most ${longestRecord}; is this the right format?`),
        );
      }
      const needed = carried + chunk.length;
      // Twice what is needed, so that a record over many windows is not copied for each of them.
      const next = window.length - start >= needed && window !== chunk ? window : new Uint8Array(2 * needed);
      if (next !== window) {
        next.set(window.subarray(start, end));
        start = 0;
        end = carried;
      }
      next.set(chunk, end);
      window = next;
      end += chunk.length;
    }
    const consumed = readRecords(window, start, end, false);
    readTo += consumed - start;
    start = consumed;
  }
  const consumed = readRecords(window, start, end, true);
  if (consumed !== end) throw new Error(`A record reader left ${end - consumed} bytes at the end of ${stream.name}.`);
}

/** Hands whole lines to a reader, which returns nothing: `start` is at the first line, `end` behind the last line feed. */
export function readLineWindows(
  stream: ByteStream,
  readLines: (bytes: Uint8Array, start: number, end: number) => void,
  longestLine = LONGEST_RECORD,
): Promise<void> {
  const readWholeLines: ReadRecords = (bytes, start, end, last) => {
    const whole = last ? end : bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
    if (whole <= start) return start;
    readLines(bytes, start, whole);
    return whole;
  };
  return readWindows(stream, readWholeLines, longestLine);
}

/** All bytes of a stream, for formats that are one document. */
export async function readDocument(stream: ByteStream, longest = LONGEST_DOCUMENT): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream.chunks) {
    length += chunk.length;
    if (length > longest) {
      throw new FormatError(
        stream.name,
        null,
        mismatch(`a document of more than ${longest} bytes`, 'a smaller one; convert it to a streaming format'),
      );
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

const LINE_FEED = 10;
export const LONGEST_RECORD = 1 << 28;
export const LONGEST_DOCUMENT = 1 << 30;
