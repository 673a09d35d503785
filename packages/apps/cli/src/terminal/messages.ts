/** Messages between the two processes of the program: main.ts, which waits, and command-main.ts, which works. */

export type FromCommand =
  /** A verdict, put on record before it is printed. */
  | { readonly kind: 'judged'; readonly code: number }
  /** From now on an interruption is heard and ends the command soon; or not any more. */
  | { readonly kind: 'interruptible'; readonly is: boolean }
  /** Standard output or standard error takes no more. */
  | { readonly kind: 'lost'; readonly why: string; readonly isClosed: boolean }
  | { readonly kind: 'signal'; readonly name: NodeJS.Signals }
  /** Output to print if the command is cut off; null once that is over. */
  | { readonly kind: 'parts'; readonly parts: Parts | null }
  | { readonly kind: 'part-done'; readonly out: string; readonly files: readonly string[] }
  /** A path that is to be removed if the command's process is killed, or is not any more. */
  | { readonly kind: 'unfinished'; readonly path: string; readonly isThere: boolean }
  /** All is judged, and all possible output was printed. */
  | { readonly kind: 'done'; readonly code: number };

/** Work of several parts, such as one history after the other, and the output if it is cut off in the middle. */
export interface Parts {
  /** On standard output before the parts, where they are one document. */
  readonly head: string;
  /** Unfinished parts: their names, and the text printed on standard output instead of them. */
  readonly missing: readonly { readonly name: string; readonly out: string }[];
  readonly foot: string;
  readonly files?: readonly FileParts[];
}

/** Parts of an anomaly for a file. */
export interface FileParts {
  readonly path: string;
  readonly head: string;
  /** Texts of the unfinished parts. */
  readonly missing: readonly string[];
  readonly foot: string;
}

export type ToCommand = { readonly kind: 'interrupt' } | { readonly kind: 'end' };

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
