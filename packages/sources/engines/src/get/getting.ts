/** How an engine is fetched. */
export interface Getting {
  readonly signal?: AbortSignal | undefined;
  /** Hears what is being done. */
  readonly say?: ((what: string) => void) | undefined;
}
