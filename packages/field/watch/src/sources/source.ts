/** Where lines come from. */
export interface Source {
  /** For messages. */
  readonly name: string;
  /** Whether all that it has can be read to an end, behind which nothing may be left unread. */
  readonly hasEnd: boolean;
  /**
   * The bytes as they come, read no faster than they are asked for. It ends where the source does, or soon after the signal,
   * and fails where the source is gone. One that has an end is not followed beyond it once nothing more is wanted. The
   * first chunk of one that is read again or goes on, which may be empty, says that it is the same as before.
   */
  chunks(signal: AbortSignal, isWanted?: () => boolean): AsyncIterable<Chunk>;
}

export interface Chunk {
  readonly bytes: Uint8Array;
  /** Where the source goes on behind the last whole line up to here; null where it can only begin anew. */
  readonly position: string | null;
  /** Who sent these bytes, which are whole lines; absent where it cannot be told what became of them. */
  readonly sender?: Sender;
}

export interface Sender {
  /** All of it is in the log, and on the disk. Null where the sender does not wait for that. */
  readonly kept: (() => void) | null;
  /** Not all of it was taken. */
  refused(refusal: Refusal): void;
  /** Whether something before it was refused, so that nothing that it sends counts any more. */
  readonly isRefused: () => boolean;
}

/** Why a line was not taken, and what follows it was not either. */
export interface Refusal {
  /** Counted from 1 among the lines that were sent, of which those before it were taken; null if that says nothing. */
  readonly line: number | null;
  readonly problem: string;
}
