/** Source of lines. */
export interface Source {
  /** Name for messages. */
  readonly name: string;
  /** Whether it can be read to an end, behind which nothing may be left unread. */
  readonly hasEnd: boolean;
  /**
   * The bytes as they come, read no faster than they are asked for. It ends where the source does, or soon after the
   * signal, and fails where the source is gone. One that has an end is not followed beyond it once nothing more is
   * wanted. The first chunk of one that is read again or continues, which may be empty, says that it is the same as
   * before.
   */
  chunks(signal: AbortSignal, isWanted?: () => boolean): AsyncIterable<Chunk>;
}

export interface Chunk {
  readonly bytes: Uint8Array;
  /** Place of the source after the last whole line up to here; null where it can only start over. */
  readonly position: string | null;
  /** Sender of these bytes, which are whole lines; absent where it cannot receive the result. */
  readonly sender?: Sender;
}

export interface Sender {
  /** Reports that all of it is in the log, and on the disk. Null where the sender does not wait for that. */
  readonly kept: (() => void) | null;
  /** Not all of it was taken. */
  refused(refusal: Refusal): void;
  /** Whether something before it was refused, so nothing that it sends counts any more. */
  readonly isRefused: () => boolean;
}

/** Reason why a line, and the lines after it, were not taken. */
export interface Refusal {
  /**
   * Number of the line, from 1, among the lines that were sent; those before it were taken. Null if the number says
   * nothing.
   */
  readonly line: number | null;
  readonly problem: string;
}
