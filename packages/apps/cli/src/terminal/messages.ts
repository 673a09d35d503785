/** Messages between the two processes of the program: main.ts, which waits, and command-main.ts, which works. */

export type FromCommand =
  /** A verdict, recorded before it is printed. */
  | { readonly kind: 'judged'; readonly code: number }
  /** Whether an interruption now ends the command gently. */
  | { readonly kind: 'interruptible'; readonly is: boolean }
  /** From now on, the command may take its time after the first interruption. */
  | { readonly kind: 'patient' }
  /** Standard output or standard error accepts no more text. */
  | { readonly kind: 'lost'; readonly why: string; readonly isClosed: boolean }
  | { readonly kind: 'signal'; readonly name: NodeJS.Signals }
  /** Output to print if the command is cut off; null when no longer needed. */
  | { readonly kind: 'parts'; readonly parts: Parts | null }
  | { readonly kind: 'part-done'; readonly out: string; readonly files: readonly string[] }
  /** A path to remove if the command's process is killed, or a path that no longer needs that. */
  | { readonly kind: 'unfinished'; readonly path: string; readonly isThere: boolean }
  /** All histories have been checked, and all possible output was printed. */
  | { readonly kind: 'done'; readonly code: number };

/** Work in several parts, such as one history after another, and the output if it is cut off between them. */
export interface Parts {
  /** Printed on standard output before the parts, if they form one document. */
  readonly head: string;
  /** Unfinished parts: their names, and the text printed on standard output in their place. */
  readonly missing: readonly { readonly name: string; readonly out: string }[];
  readonly foot: string;
  readonly files?: readonly FileParts[];
}

/** Output of the parts in one file. */
export interface FileParts {
  readonly path: string;
  readonly head: string;
  /** Texts of the unfinished parts. */
  readonly missing: readonly string[];
  readonly foot: string;
}

export type ToCommand = { readonly kind: 'interrupt' } | { readonly kind: 'end' };

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
