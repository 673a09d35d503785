/** What the two processes of the program tell each other: main.ts, which waits, and command-main.ts, which works. */

export type FromCommand =
  /** A verdict, put on record before it is printed. */
  | { readonly kind: 'judged'; readonly code: number }
  /** From now on an interruption is heard and ends the command soon; or not any more. */
  | { readonly kind: 'interruptible'; readonly is: boolean }
  /** Standard output or standard error takes no more. */
  | { readonly kind: 'lost'; readonly why: string; readonly isClosed: boolean }
  | { readonly kind: 'signal' }
  /** All is judged, and all was printed that could be. */
  | { readonly kind: 'done'; readonly code: number };

export type ToCommand = { readonly kind: 'interrupt' } | { readonly kind: 'end' };

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
