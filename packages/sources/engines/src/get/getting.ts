/** Options of a download. */
export interface Getting {
  readonly signal?: AbortSignal | undefined;
  /** Receives a line for each step. */
  readonly say?: ((what: string) => void) | undefined;
}
