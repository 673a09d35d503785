/** Where lines come from. */
export interface Source {
  /** For messages. */
  readonly name: string;
  /**
   * The bytes as they come, read no faster than they are asked for. It ends where the source does, or soon after the signal,
   * and fails where the source is gone.
   */
  chunks(signal: AbortSignal): AsyncIterable<Chunk>;
}

export interface Chunk {
  readonly bytes: Uint8Array;
  /** Where the source goes on behind these bytes, which are whole lines; null where it can only begin anew. */
  readonly position: string | null;
}
