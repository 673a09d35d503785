/** How an engine is fetched. */
export interface Getting {
  readonly signal?: AbortSignal | undefined;
  /** Receives a line for each step. */
  readonly say?: ((what: string) => void) | undefined;
}
