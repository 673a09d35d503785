import type { Chunk } from '../sources/source.ts';

/**
 * New data of one of many streams. Among parts that were sent together by a sender that accepts results, only the last
 * part has the sender.
 */
export interface StreamPart extends Chunk {
  readonly stream: string;
  /** The common header of all streams, if there is one. */
  readonly header?: Uint8Array | null;
  readonly isOffered?: boolean;
  /** The reason why nothing after these lines can be read. */
  readonly problem: Error | null;
  /** The lease under which the part was read; null without leases. */
  readonly lease: string | null;
  /** Whether this is the stream's last part. */
  readonly isLast: boolean;
}

/** The watcher's answers to questions from a source of many streams. */
export interface Asked {
  /** Returns the position from which to continue a stream; null for its beginning. */
  placeOf(stream: string): string | null;
  /** Returns whether no more data of a stream is wanted. */
  isOver(stream: string): boolean;
}

export interface ManySource {
  readonly name: string;
  /** Whether streams without a saved position start over, with the lines that were received before. */
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
