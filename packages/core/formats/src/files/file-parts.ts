import { closeSync, openSync, readSync } from 'node:fs';
import type { ThreadTask, Threads } from '@isolab/history';
import type { ByteStream, FileOnDisk } from './input.ts';

/** Threads that read parts of files. */
export interface ReadingThreads {
  /** Size of the smallest file whose parts are worth the start of a thread. */
  readonly leastBytes: number;
  load(): Promise<Threads | null>;
}

/** Part of a file, which begins with a line and ends before another one. */
export interface FilePart {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Finds the places where a file is split, each after a line feed; none where lines are long. */
export function splitAtLines({ path, size }: FileOnDisk, count: number): number[] {
  const piece = new Uint8Array(SEARCHED_BYTES);
  const descriptor = openSync(path, 'r');
  try {
    const places: number[] = [];
    for (let part = 1; part < count; part++) {
      const from = Math.floor((size * part) / count);
      const found = piece.subarray(0, readSync(descriptor, piece, 0, SEARCHED_BYTES, from)).indexOf(LINE_FEED);
      // A part begins with a line that is not blank, because blank lines are counted across parts.
      if (found < 0 || found + 1 === piece.length || piece[found + 1]! <= SPACE) return [];
      if (from + found + 1 < size) places.push(from + found + 1);
    }
    return places;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns a stream that ends where the other parts begin, if `append` accepts them. If a thread fails or a part is not
 * accepted, the stream continues with that part, so that its errors are those of a single thread.
 */
export function withoutParts<Part>(
  input: ByteStream,
  places: readonly number[],
  tasks: readonly ThreadTask<never, Part>[],
  append: (part: Part) => boolean,
): ByteStream {
  let at = 0;
  let hasAsked = false;
  let hasEnded = false;
  const readTo = (room: Uint8Array, end: number): number => {
    const filled = input.readInto!(room.subarray(0, Math.min(room.length, end - at)));
    at += filled;
    return filled;
  };
  const skip = (room: Uint8Array, end: number): void => {
    for (let filled = -1; filled !== 0;) filled = at < end ? readTo(room, end) : 0;
  };
  const appendParts = (room: Uint8Array): void => {
    hasAsked = true;
    const accepted = tasks.findIndex((task) => {
      const part = task.result();
      return part === null || !append(part);
    });
    hasEnded = accepted < 0;
    for (const task of tasks) task.cancel();
    // The threads have read the accepted parts.
    if (!hasEnded) skip(room, places[accepted]!);
  };
  return {
    ...input,
    readInto: (room) => {
      if (at === places[0] && !hasAsked) appendParts(room);
      return hasEnded ? 0 : readTo(room, hasAsked ? Infinity : places[0]!);
    },
    close: () => {
      for (const task of tasks) task.cancel();
      input.close?.();
    },
  };
}

/** Opens a part of a file. The stream fails when `isCancelled`. */
export function openPart({ path, from, to }: FilePart, isCancelled: () => boolean): ByteStream {
  const descriptor = openSync(path, 'r');
  let at = from;
  return {
    kind: 'stream',
    name: path,
    head: new Uint8Array(0),
    chunks: (async function* () {})(),
    readInto: (room) => {
      if (isCancelled()) throw new Error('The part is no longer needed.');
      const filled = readSync(descriptor, room, 0, Math.min(room.length, to - at), at);
      at += filled;
      return filled;
    },
    close: () => closeSync(descriptor),
    share: () => (at - from) / (to - from),
  };
}

const SEARCHED_BYTES = 1 << 20;
const [LINE_FEED, SPACE] = [10, 0x20];
