import type { Chunk } from '../sources/source.ts';

/**
 * New data of one of many streams. Of parts that were sent together by a sender that can receive the result, the last
 * one has the sender.
 */
export interface StreamPart extends Chunk {
  readonly stream: string;
  /** The header of all streams, if there is one. */
  readonly header?: Uint8Array | null;
  readonly isOffered?: boolean;
  /** Reason why nothing behind these lines can be read. */
  readonly problem: Error | null;
  /** Lease by which it was read; null where there are none. */
  readonly lease: string | null;
  /** Whether nothing follows in this stream. */
  readonly isLast: boolean;
}

/** Questions of a source of many streams to their watcher. */
export interface Asked {
  /** Place to continue a stream; null for its beginning. */
  placeOf(stream: string): string | null;
  /** Returns whether nothing more is wanted of a stream. */
  isOver(stream: string): boolean;
}

/** Source of the lines of many streams. */
export interface ManySource {
  readonly name: string;
  /** Whether streams start over where they have no place to continue, with the lines that were taken before. */
  readonly beginsAnew: boolean;
  parts(signal: AbortSignal, asked: Asked): AsyncIterable<StreamPart>;
}

export const emptyPart = (stream: string, isLast: boolean, problem: Error | null = null): StreamPart => ({
  stream,
  bytes: NOTHING,
  position: null,
  problem,
  lease: null,
  isLast,
});

export const NOTHING = new Uint8Array(0);
