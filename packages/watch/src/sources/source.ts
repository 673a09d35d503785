/** Where lines come from. */
export interface Source {
  /** For messages. */
  readonly name: string;
  /**
   * The bytes as they come, read no faster than they are asked for. It ends where the source does, or soon after the signal,
   * and fails where the source is gone.
   */
  chunks(signal: AbortSignal): AsyncIterable<Uint8Array>;
}
