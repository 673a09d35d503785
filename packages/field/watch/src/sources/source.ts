export interface Source {
  /** The source's name in messages. */
  readonly name: string;
  /** Whether the source has an end, up to which everything must be read. */
  readonly hasEnd: boolean;
  /**
   * Yields the bytes as they arrive, but no faster than they are consumed. Ends with the source or soon after the
   * signal, and fails if the source has disappeared. A source that has an end is not followed beyond it once nothing
   * more is wanted. If the source is read again or continues, its first chunk, which may be empty, confirms that it is
   * the source read before.
   */
  chunks(signal: AbortSignal, isWanted?: () => boolean): AsyncIterable<Chunk>;
}

export interface Chunk {
  readonly bytes: Uint8Array;
  /** The source's position after the last complete line of the chunk; null if the source can only start over. */
  readonly position: string | null;
  /** The sender of these bytes, which are complete lines; absent if the sender does not accept results. */
  readonly sender?: Sender;
}

export interface Sender {
  /** Reports that all lines are in the log and on disk. Null if the sender does not wait for that. */
  readonly kept: (() => void) | null;
  refused(refusal: Refusal): void;
  /** Returns whether something was refused before, so that later lines of the sender are ignored. */
  readonly isRefused: () => boolean;
}

/** The reason why a line and the lines after it were refused. */
export interface Refusal {
  /**
   * Number of the line, from 1, among the lines that were sent; the preceding lines were accepted. Null if the number
   * is meaningless.
   */
  readonly line: number | null;
  readonly problem: string;
}
