import { statSync } from 'node:fs';
import { ChunkQueue } from '../sources/queue.ts';
import { fileSource } from '../sources/file.ts';
import type { Chunk } from '../sources/source.ts';
import { type Asked, type ManySource, type StreamPart, emptyPart } from './parts.ts';
import { filesOf, isPattern } from './pattern.ts';

export interface FilesOptions {
  /** Whether to wait for more data at the end of a file, and for more files. */
  readonly isFollowed: boolean;
  readonly onNote: (note: string) => void;
}

/** Reads files, each as a stream named by its path; files that match a pattern later are added then. */
export function filesSource(words: readonly string[], { isFollowed, onNote }: FilesOptions): ManySource {
  async function* parts(signal: AbortSignal, asked: Asked): AsyncGenerator<StreamPart> {
    const queue = new ChunkQueue<StreamPart>();
    const read = new Map<string, Promise<void>>();
    const begin = (path: string): Promise<void> => {
      const source = fileSource(path, {
        isFollowed: () => isFollowed,
        onNote,
        from: asked.placeOf(path),
        idleMs: IDLE_MS,
      });
      return readInto(
        queue,
        path,
        source.chunks(signal, () => !asked.isOver(path)),
        signal,
      );
    };
    const look = (): void => {
      for (const path of pathsOf(words)) if (!read.has(path)) read.set(path, begin(path));
    };
    look();
    signal.addEventListener('abort', () => queue.close());
    const mayGrow = isFollowed && words.some(isPattern);
    const timer = mayGrow ? setInterval(look, LOOK_MS) : null;
    if (!mayGrow) void Promise.all(read.values()).then(() => queue.close());
    try {
      yield* queue.taken();
    } finally {
      if (timer !== null) clearInterval(timer);
    }
  }
  return { name: words.join(' '), beginsAnew: true, parts };
}

const pathsOf = (words: readonly string[]): string[] =>
  words.flatMap((word) =>
    isPattern(word) ? filesOf(word).filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile()) : [word],
  );

/** Puts the data of a stream into the queue, no faster than the data is consumed. */
async function readInto(
  queue: ChunkQueue<StreamPart>,
  stream: string,
  chunks: AsyncIterable<Chunk>,
  signal: AbortSignal,
): Promise<void> {
  let problem: Error | null = null;
  try {
    for await (const chunk of chunks) {
      queue.put({ ...chunk, stream, problem: null, lease: null, isLast: false });
      await new Promise<void>((resolve) => queue.whenRoom(resolve));
    }
  } catch (error) {
    problem = error as Error;
  }
  if (!signal.aborted) queue.put(emptyPart(stream, true, problem));
}

const IDLE_MS = 1000;
const LOOK_MS = 1000;
